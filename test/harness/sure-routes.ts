import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const path = '/console/is-intercepted'

/**
 * After this, `page.route` resolves when the page obeys it. By itself it resolves when the browser knows of the route: a page that is busy
 * sends requests for a moment as before, past the route, and Playwright reports none of them.
 */
export function makeRoutesSure(page: Page): void {
  const route = page.route.bind(page)
  page.route = async (...given) => {
    const added = await route(...given)
    // A page that is still to be opened obeys its routes from the beginning.
    if (!page.url().startsWith('http')) return added
    const isProbe = ({ pathname }: URL): boolean => pathname === path
    await route(isProbe, (probe) => probe.fulfill({ status: 204 }))
    const isObeyed = (): Promise<boolean> =>
      page.evaluate(
        `fetch(${JSON.stringify(path)}, { cache: 'no-store' }).then(({ status }) => status === 204, () => false)`,
      )
    await expect.poll(isObeyed).toBe(true)
    await page.unroute(isProbe)
    return added
  }
}
