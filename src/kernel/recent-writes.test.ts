import { expect, test } from 'vitest'
import { recentWrites, type UserNews } from './recent-writes.ts'

/** Two processes of one server. Messages arrive when `deliver` is called. */
function twoProcesses() {
  const sent: { readonly news: readonly UserNews[]; readonly receive: () => void }[] = []
  const second = recentWrites()
  const first = recentWrites(
    (news) => new Promise((resolve) => sent.push({ news, receive: () => resolve(second.receive(1, news)) })),
  )
  const deliver = async (): Promise<readonly UserNews[]> => {
    await new Promise((resolve) => setImmediate(resolve))
    const arrived = sent.splice(0)
    for (const { receive } of arrived) receive()
    return arrived.flatMap(({ news }) => news)
  }
  return { first, second, deliver }
}

test('a write is known to another process when it begins, and for as long as any write of the user is in progress', async () => {
  const { first, second, deliver } = twoProcesses()
  const [one, two] = [first.begin('7'), first.begin('7')]
  let isKnown = false
  one.isKnown?.then(() => {
    isKnown = true
  })
  expect([first.lastMs('7'), second.lastMs('7'), isKnown]).toEqual([Number.POSITIVE_INFINITY, 0, false])
  await deliver()
  await one.isKnown
  expect([second.lastMs('7'), second.lastMs('8')]).toEqual([Number.POSITIVE_INFINITY, 0])
  one.end()
  expect(await deliver()).toEqual([])
  expect(second.lastMs('7')).toBe(Number.POSITIVE_INFINITY)
  two.end()
  const endedMs = performance.now()
  await deliver()
  expect(second.lastMs('7')).toBeGreaterThanOrEqual(endedMs)
  expect(second.lastMs('7')).toBeLessThanOrEqual(performance.now())
})

test('what was reported to users in one turn is one message, and ends no write', async () => {
  const { first, second, deliver } = twoProcesses()
  const { end } = first.begin('7')
  await deliver()
  const reported = [first.report('7'), first.report('8')]
  expect(await deliver()).toEqual([
    { userId: '7', kind: 'reported' },
    { userId: '8', kind: 'reported' },
  ])
  await Promise.all(reported)
  expect(second.lastMs('7')).toBe(Number.POSITIVE_INFINITY)
  expect(second.lastMs('8')).toBeGreaterThan(0)
  end()
})

test('the writes of a process that ended are over, those of another one are not', () => {
  const writes = recentWrites()
  writes.receive(1, [{ userId: '7', kind: 'begun' }])
  writes.receive(2, [
    { userId: '7', kind: 'begun' },
    { userId: '8', kind: 'begun' },
  ])
  writes.forget(2)
  expect(writes.lastMs('7')).toBe(Number.POSITIVE_INFINITY)
  expect(writes.lastMs('8')).toBeLessThanOrEqual(performance.now())
  writes.forget(1)
  expect(writes.lastMs('7')).toBeLessThanOrEqual(performance.now())
})

test('a process alone waits for nobody', () => {
  const writes = recentWrites()
  const { isKnown, end } = writes.begin('7')
  end()
  expect([isKnown, writes.report('7')]).toEqual([null, null])
})
