import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext } from 'playwright-core'

/** The longest and the shortest delay in milliseconds of requests for data, and of parts of the console that are loaded when needed. */
const delays = [
  { what: /\/(rest\/)?v1\//, from: 300, to: 1_500 },
  { what: /\/assets\/[^/]+\.js$/, from: 0, to: 600 },
] as const

/**
 * Provokes races: with DOCKET_SLOW_CONSOLE, each request of the console waits before it is sent, each for another time. The value is a
 * seed: the n-th request for an address waits equally long in every run with the same seed.
 */
export async function slowDown(context: BrowserContext): Promise<void> {
  slowDownScripts(context)
  const seed = process.env['DOCKET_SLOW_CONSOLE']
  if (seed === undefined || seed === '') return
  const sent = new Map<string, number>()
  for (const { what, from, to } of delays) {
    await context.route(
      (url) => what.test(url.pathname),
      async (route) => {
        const url = new URL(route.request().url())
        const name = `${route.request().method()} ${url.pathname}${url.search}`
        const times = (sent.get(name) ?? 0) + 1
        sent.set(name, times)
        const hash = createHash('sha256').update(`${seed} ${name} ${times}`).digest().readUInt32BE()
        await sleep(from + (hash % (to - from)), undefined, { ref: false })
        // The page may have left in the meantime.
        await route.fallback().catch(() => undefined)
      },
    )
  }
}

/** With DOCKET_SLOW_CONSOLE_CPU=4, scripts and layout of each page take four times as long, as on a machine that much slower. */
function slowDownScripts(context: BrowserContext): void {
  const rate = Number(process.env['DOCKET_SLOW_CONSOLE_CPU'] ?? 1)
  if (!(rate > 1)) return
  context.on('page', async (page) => {
    const session = await context.newCDPSession(page).catch(() => null)
    // The page may be closed already.
    await session?.send('Emulation.setCPUThrottlingRate', { rate }).catch(() => undefined)
  })
}
