import type { CDPSession, Page } from 'playwright-core'
import { quantile } from '../measure/figures.ts'

export interface Frames {
  readonly medianMs: number
  /** Part of the frames that took longer than 33 ms. */
  readonly slow: number
  /** Time of the page's main thread for each frame, by its own clock: other work of the machine hardly changes it. */
  readonly cpuMs: number
}

/** Scrolls what the `list` of the page is, an expression, by a fixed step in each frame, down and up again. */
export async function scrollFrames(page: Page, list: string, frames = 600): Promise<Frames> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await taskSeconds(session)
  const times = await page.evaluate<readonly number[]>(`new Promise((resolve) => {
    const scroller = ${list}
    const times = []
    let before = performance.now()
    let left = ${frames}
    const next = (now) => {
      times.push(now - before)
      before = now
      scroller.scrollTop += left > ${frames / 2} ? 170 : -170
      if (left-- > 0) requestAnimationFrame(next)
      else resolve(times.slice(2))
    }
    requestAnimationFrame(next)
  })`)
  const cpuMs = (((await taskSeconds(session)) - before) * 1_000) / frames
  await session.detach()
  return { medianMs: quantile(times, 0.5), slow: times.filter((ms) => ms > 33).length / times.length, cpuMs }
}

async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}

/** The least that such a list needs: rows of text cells in the view, placed by hand, without a library and without data to wait for. */
export const bareList = (rows: number, columns: number): string => `<!doctype html><title>bare</title>
<style>
  body { margin: 0; font: 13px sans-serif }
  #list { height: 800px; overflow: auto; position: relative }
  .row { position: absolute; display: grid; grid-template-columns: repeat(${columns}, 1fr); height: 34px; width: 100%; border-bottom: 1px solid #ddd }
  .row span { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; padding: 8px }
</style>
<div id="list"><div id="all" style="height:${rows * 34}px"></div></div>
<script>
  const list = document.getElementById('list'), all = document.getElementById('all'), held = new Map()
  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / 34) - 12), last = Math.min(${rows}, first + 48)
    for (const [at, row] of held) if (at < first || at >= last) { row.remove(); held.delete(at) }
    for (let at = first; at < last; at += 1) {
      if (held.has(at)) continue
      const row = document.createElement('div')
      row.className = 'row'
      row.style.transform = 'translateY(' + at * 34 + 'px)'
      for (let column = 0; column < ${columns}; column += 1) row.appendChild(document.createElement('span')).textContent = 'Row ' + at + ', cell ' + column
      held.set(at, all.appendChild(row))
    }
  }
  list.addEventListener('scroll', draw)
  draw()
</script>`
