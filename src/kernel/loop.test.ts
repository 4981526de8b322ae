import { expect, test } from 'vitest'
import { startLoop } from './loop.ts'

/** Turns that end when the test says so. */
function createTurns() {
  const open: PromiseWithResolvers<void>[] = []
  const begun: PromiseWithResolvers<void>[] = [Promise.withResolvers()]
  return {
    open,
    turn() {
      const ending = Promise.withResolvers<void>()
      open.push(ending)
      begun.push(Promise.withResolvers())
      begun[open.length - 1]?.resolve()
      return ending.promise
    },
    begun: (count: number) => begun[count - 1]?.promise,
  }
}

const unexpected = (error: unknown): never => {
  throw error
}

test('what is asked for during a turn is one turn after it, however often it was asked for', async () => {
  const turns = createTurns()
  const loop = startLoop({ turn: turns.turn, onError: unexpected })
  loop.notify()
  await turns.begun(1)
  for (let count = 0; count < 10; count++) loop.notify()
  expect(turns.open).toHaveLength(1)
  turns.open[0]?.resolve()
  await turns.begun(2)
  turns.open[1]?.resolve()
  await loop.idle()
  expect(turns.open).toHaveLength(2)
  await loop.stop()
})

test('stop waits for the turn under way, tells it so, and begins no other', async () => {
  const turns = createTurns()
  let signal: AbortSignal | undefined
  const loop = startLoop({
    turn(stopping) {
      signal = stopping
      return turns.turn()
    },
    everyMs: 1,
    onError: unexpected,
  })
  loop.notify()
  await turns.begun(1)
  loop.notify()
  let isStopped = false
  const stopped = loop.stop().then(() => {
    isStopped = true
  })
  expect(signal?.aborted).toBe(true)
  expect(isStopped).toBe(false)
  turns.open[0]?.resolve()
  await stopped
  loop.notify()
  await loop.idle()
  expect(turns.open).toHaveLength(1)
})

test('a failed turn is repeated after the pause; failures in a row are counted from the last success', async () => {
  const outcomes = ['fails', 'fails', 'succeeds', 'fails', 'succeeds']
  const errors: number[] = []
  const done = Promise.withResolvers<void>()
  const loop = startLoop({
    async turn() {
      const outcome = outcomes.shift()
      if (outcomes.length === 0) done.resolve()
      if (outcome === 'fails') throw new Error(outcome)
      if (outcomes.length > 0) loop.notify()
    },
    pauseMs: () => 1,
    onError: (_error, failures) => void errors.push(failures),
  })
  loop.notify()
  await done.promise
  await loop.stop()
  expect(errors).toEqual([1, 2, 1])
})

test('a loop with a period needs no wake', async () => {
  const turns = createTurns()
  const loop = startLoop({ turn: turns.turn, everyMs: 1, onError: unexpected })
  await turns.begun(1)
  turns.open[0]?.resolve()
  await turns.begun(2)
  turns.open[1]?.resolve()
  await loop.stop()
})
