import fc from 'fast-check'
import { expect, test } from 'vitest'
import { succeed } from '../../kernel/result.ts'
import { type GateLimits, gateLimitsFor, statementGate } from './statement-gate.ts'

/** Work that runs until the test ends it, and the order in which it began. */
function lab(limits: GateLimits) {
  const gate = statementGate(limits)
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      begun.push(name)
      running.set(name, resolve)
    })
  return {
    gate,
    begun,
    running,
    send: (userId: string, name: string) => gate.runPatiently(userId, work(name)),
    async end(name: string) {
      running.get(name)?.()
      running.delete(name)
      await settled()
    },
  }
}

/** Everything that can continue has continued. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a user runs no more than their limit, another user passes, and the next to run has the fewest running (issue 8, A7)', async () => {
  const { send, begun, end } = lab({ total: 5, perUser: 3, reserve: 1, maxWaitMs: 3_600_000 })
  const sent = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3'].map((name) => send(name.slice(0, 1), name))
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1'])
  await end('a1')
  expect(begun.slice(4)).toEqual(['b2'])
  await end('a2')
  expect(begun.slice(5)).toEqual(['a4'])
  sent.push(send('c', 'c1'))
  await settled()
  expect(begun.slice(6)).toEqual(['c1'])
  await end('a3')
  expect(begun.slice(7)).toEqual([])
  await end('c1')
  expect(begun.slice(7)).toEqual(['b3'])
  for (const name of ['b1', 'b2', 'b3', 'a4']) await end(name)
  await Promise.all(sent)
})

test('a request that waits longer than the limit is rejected, and its work never begins (issue 8, A7)', async () => {
  const { gate, send, begun, end } = lab({ total: 1, perUser: 1, reserve: 0, maxWaitMs: 1 })
  const first = send('a', 'a1')
  const late = await gate.run('a', async () => {
    begun.push('late')
    return succeed(1)
  })
  expect(late).toEqual({ ok: false, error: { kind: 'too-many-requests', retryAfterSeconds: 2 } })
  await end('a1')
  await first
  expect(await gate.run('a', async () => succeed(2))).toEqual({ ok: true, value: 2 })
  expect(begun).toEqual(['a1'])
})

test('a user who is held waits for that to end, and others pass', async () => {
  const held = new Set(['a'])
  const gate = statementGate({ total: 2, perUser: 1, reserve: 1, maxWaitMs: 3_600_000 }, (userId) => held.has(userId))
  const order: string[] = []
  const first = gate.runPatiently('a', async () => order.push('a'))
  await gate.runPatiently('b', async () => order.push('b'))
  held.clear()
  gate.startWaiting()
  await first
  expect(order).toEqual(['b', 'a'])
})

test('work that fails leaves its place to the next', async () => {
  const gate = statementGate({ total: 1, perUser: 1, reserve: 0, maxWaitMs: 3_600_000 })
  const failing = gate.runPatiently('a', () => Promise.reject(new Error('it failed')))
  const next = gate.runPatiently('b', async () => 'next')
  await expect(failing).rejects.toThrow('it failed')
  expect(await next).toBe('next')
})

test('whatever is sent, no limit is exceeded, nothing waits beside a free place, and everything runs in the end', async () => {
  const step = fc.oneof(
    fc.record({ send: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ end: fc.nat({ max: 20 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 12 }), fc.array(step, { maxLength: 40 }), async (poolSize, steps) => {
      const limits = gateLimitsFor(poolSize, 0)
      const { send, begun, running, end } = lab({ ...limits, maxWaitMs: 3_600_000 })
      const sent: { readonly name: string; readonly done: Promise<void> }[] = []
      const ofUser = (names: Iterable<string>, userId: string) =>
        [...names].filter((name) => name.startsWith(userId)).length
      const check = (): void => {
        expect(running.size).toBeLessThanOrEqual(limits.total)
        for (const userId of ['a', 'b', 'c', 'd']) {
          const own = ofUser(running.keys(), userId)
          expect(own).toBeLessThanOrEqual(limits.perUser)
          const isWaiting = sent.some(({ name }) => name.startsWith(userId) && !begun.includes(name))
          const free = (own === 0 ? limits.total : limits.total - limits.reserve) - running.size
          expect(isWaiting && own < limits.perUser && free > 0).toBe(false)
        }
      }
      for (const each of steps) {
        if ('send' in each) {
          const name = `${each.send}${sent.length}`
          sent.push({ name, done: send(each.send, name) })
          await settled()
        } else await end([...running.keys()][each.end % Math.max(1, running.size)] ?? '')
        check()
      }
      while (running.size > 0) await end([...running.keys()][0] ?? '')
      await Promise.all(sent.map(({ done }) => done))
      expect(begun.length).toBe(sent.length)
    }),
  )
})

test.each([
  [2, 0, { total: 1, perUser: 1, reserve: 0 }],
  [3, 0, { total: 2, perUser: 1, reserve: 1 }],
  [10, 0, { total: 9, perUser: 7, reserve: 2 }],
  [10, 4, { total: 9, perUser: 4, reserve: 2 }],
  [10, 9, { total: 9, perUser: 7, reserve: 2 }],
  [100, 0, { total: 90, perUser: 70, reserve: 20 }],
] as const)('of %i connections with the setting %i', (poolSize, setting, limits) => {
  expect(gateLimitsFor(poolSize, setting)).toEqual({ ...limits, maxWaitMs: 2_000 })
})

test('each request waits until its own limit, whatever waited before it, and one without a limit goes on waiting', async () => {
  const { gate, send, begun, end } = lab({ total: 1, perUser: 1, reserve: 0, maxWaitMs: 5 })
  const first = send('a', 'a1')
  const patient = send('a', 'patient')
  const rejected = { ok: false, error: { kind: 'too-many-requests', retryAfterSeconds: 2 } }
  const late = () => gate.run('b', async () => succeed(begun.push('late')))
  expect(await Promise.all([late(), late()])).toEqual([rejected, rejected])
  expect(await late()).toEqual(rejected)
  await end('a1')
  expect(begun).toEqual(['a1', 'patient'])
  await end('patient')
  await Promise.all([first, patient])
})
