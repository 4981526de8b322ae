import type { CDPSession, Page } from 'playwright-core'

/** In the page, from its first script on: what the browser itself measures. Times in milliseconds since the navigation began. */
const observers = `(() => {
  const seen = globalThis.measured = { largestMs: 0, shift: 0, firstRowMs: 0, interactionsMs: [] }
  const watch = (type, use, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true, ...more })
  watch('largest-contentful-paint', (entry) => { seen.largestMs = entry.startTime })
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value })
  watch('event', (entry) => { if (entry.interactionId > 0) seen.interactionsMs.push(entry.duration) }, { durationThreshold: 16 })
  const look = () => {
    if (document.querySelector('#root [data-record] a') !== null) seen.firstRowMs = performance.now()
    else requestAnimationFrame(look)
  }
  look()
})()`

export interface PageFigures {
  readonly largestMs: number
  readonly shift: number
  /** Of the console, which replaces the list that came with the page. */
  readonly firstRowMs: number
  readonly interactionsMs: readonly number[]
}

export const observePage = (page: Page): Promise<unknown> => page.context().addInitScript(observers)

export const readFigures = (page: Page): Promise<PageFigures> => page.evaluate('globalThis.measured')

/** A slow laptop on a mobile connection. */
export async function slowDown(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  const bytesPerSecond = 10_000_000 / 8
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  return session
}

/** Of the page's script, after a collection of garbage. */
export async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}
