import type { Page } from 'playwright-core'

/** Whether the page would ask before its tab is closed, without the question of the browser. */
export const asksBeforeClosing = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const event = new Event('beforeunload', { cancelable: true })
    dispatchEvent(event)
    return event.defaultPrevented
  })()`)

/** The tab after a crash: with what it kept, and without asking whether to leave. */
export async function restoredTab(tab: Page): Promise<Page> {
  const kept = await tab.evaluate('JSON.stringify({ ...sessionStorage })')
  const page = await tab.context().newPage()
  // Only before the first page of the tab: what is removed later stays removed.
  await page.addInitScript(`if (sessionStorage.length === 0) Object.assign(sessionStorage, ${kept})`)
  await page.goto(tab.url())
  await tab.close()
  return page
}

/** Leaves less than a kilobyte of the storage. */
export const fillStorage = `(() => {
  for (let units = 2 ** 22, at = 0; units >= 512; at += 1)
    try {
      sessionStorage.setItem('ballast ' + at, 'x'.repeat(units))
    } catch {
      units /= 2
    }
})()`
