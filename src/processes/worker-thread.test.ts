import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { CountingWork } from '../../test/harness/counting-thread.ts'
import type { SlowWork } from '../../test/harness/slow-thread.ts'
import { startThread, type Thread } from './worker-thread.ts'

const file = new URL('../../test/harness/counting-thread.ts', import.meta.url)

function start(endsAfterMs?: number): { readonly thread: Thread<CountingWork>; readonly lost: () => number } {
  let lost = 0
  const options = endsAfterMs === undefined ? {} : { endsAfterMs }
  const thread = startThread<CountingWork>(file, () => lost++, options)
  onTestFinished(() => thread.close())
  return { thread, lost: () => lost }
}

test('a thread serves calls in their order, and one that fails ends nothing', async () => {
  const { thread, lost } = start()
  const calls = [thread.call('count', null), thread.call('fail', null), thread.call('count', null)]
  const results = await Promise.allSettled(calls)
  expect(results).toMatchObject([
    { status: 'fulfilled', value: { calls: 1 } },
    { status: 'rejected', reason: { message: 'as requested' } },
    { status: 'fulfilled', value: { calls: 2 } },
  ])
  expect(lost()).toBe(0)
})

test('a thread that dies rejects its calls, says so, and the next call starts another one', async () => {
  const { thread, lost } = start()
  const first = await thread.call('count', null)
  await expect(thread.call('end', null)).rejects.toThrow('a thread of the index ended during the call "end"')
  expect(lost()).toBe(1)
  const second = await thread.call('count', null)
  expect(second.calls).toBe(1)
  expect(second.threadId).not.toBe(first.threadId)
})

test('a thread that may end without calls is another one later, and is not lost', async () => {
  const { thread, lost } = start(1)
  const { threadId } = await thread.call('count', null)
  let later = threadId
  while (later === threadId) {
    await delay(20)
    later = (await thread.call('count', null)).threadId
  }
  expect(lost()).toBe(0)
})

test('no call is lost, whenever a thread ends for lack of calls', async () => {
  const { thread, lost } = start(1)
  for (let round = 0; round < 60; round++) {
    const calls = await Promise.all([thread.call('count', null), thread.call('count', null)])
    expect(calls[1].calls - calls[0].calls).toBe(1)
    // Ends before, while, and after the timer of the thread does.
    await delay((round % 7) / 2)
  }
  expect(lost()).toBe(0)
})

test.each(['end', 'close'] as const)(
  'a thread that loads its modules is not ended in the middle of it by %s',
  async (way) => {
    const data = new SharedArrayBuffer(8)
    const steps = new Int32Array(data)
    const slow = new URL('../../test/harness/slow-thread.ts', import.meta.url)
    const thread = startThread<SlowWork>(slow, undefined, { data })
    const call = thread.call('answer', null)
    const outcome = Promise.allSettled([call])
    await Atomics.waitAsync(steps, 0, 0).value
    await thread[way]()
    await outcome
    await thread.close()
    expect([...steps]).toEqual([1, 1])
  },
)

test('calls before the end of a thread are served', async () => {
  const { thread } = start()
  const call = thread.call('count', null)
  await thread.close()
  expect(await call).toMatchObject({ calls: 1 })
})

test('a call that does not end is rejected when the thread is closed', async () => {
  const { thread } = start()
  const call = thread.call('never', null)
  const rejection = expect(call).rejects.toThrow('ended during the call "never"')
  await thread.close()
  await rejection
})
