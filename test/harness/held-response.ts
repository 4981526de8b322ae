import type { Page } from 'playwright-core'

export interface HeldResponse {
  /** Resolves when the server has responded. */
  readonly arrived: Promise<void>
  /** Hands the response to the page. A page that has given up the request gets none. */
  release(): void
}

/** Holds the next response of success to a request of this method and address until it is released. By then the server has done its work. */
export async function holdResponse(page: Page, method: string, address: RegExp): Promise<HeldResponse> {
  const arrival = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let isHeld = false
  await page.route(address, async (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback()
    const response = await route.fetch()
    if (response.ok() && !isHeld) {
      isHeld = true
      arrival.resolve()
      await release.promise
    }
    await route.fulfill({ response }).catch(() => undefined)
  })
  return { arrived: arrival.promise, release: release.resolve }
}
