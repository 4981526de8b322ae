import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

test('never more at once than allowed, first come first served, and each that was not rejected is done', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 10 }),
      fc.array(fc.boolean(), { maxLength: 30 }),
      async (atOnce, waiting, jobs) => {
        const runLimited = createSemaphore({ atOnce, waiting })
        const begun: number[] = []
        let running = 0
        let max = 0
        const outcomes = await Promise.allSettled(
          jobs.map((fails, number) =>
            runLimited(async () => {
              begun.push(number)
              running++
              max = Math.max(max, running)
              await new Promise(setImmediate)
              running--
              if (fails) throw new Error('job failed')
              return number
            }),
          ),
        )
        const taken = Math.min(jobs.length, atOnce + waiting)
        expect(max).toBeLessThanOrEqual(atOnce)
        expect(begun).toEqual(jobs.slice(0, taken).map((_, number) => number))
        expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual(
          jobs.map((fails, number) => (number >= taken ? undefined : fails ? 'failed' : number)),
        )
        expect(await runLimited(async () => 'free again')).toBe('free again')
      },
    ),
  )
})
