import { expect, test } from 'vitest'
import type { RunGated } from '../../kernel/run-gated.ts'
import { sharedReads } from './shared-reads.ts'

/** A gate that stays shut until the test opens it, and how often it was entered. */
function shutGate() {
  const opened = Promise.withResolvers<void>()
  const gate = { entered: 0, open: opened.resolve }
  const run: RunGated = async (work) => {
    gate.entered += 1
    await opened.promise
    return work()
  }
  return { ...gate, run, enteredCount: () => gate.entered }
}

const openGate: RunGated = (work) => work()

/** A statement that counts its runs. */
function counted() {
  const state = { runs: 0 }
  return { state, statement: async () => ++state.runs }
}

test('a read that waits for one user starts for another, serves both, and runs once (issue 8, A7)', async () => {
  const { read } = sharedReads<number>()
  const { state, statement } = counted()
  const shut = shutGate()
  const waiting = read('page', { userId: 'a', run: shut.run }, statement)
  const served = read('page', { userId: 'b', run: openGate }, statement)
  expect(await Promise.all([waiting, served])).toEqual([1, 1])
  shut.open()
  await new Promise((resolve) => setImmediate(resolve))
  expect(state.runs).toBe(1)
})

test('many readers of a user take one place of their gate (issue 8, A7)', async () => {
  const { read } = sharedReads<number>()
  const { statement } = counted()
  const shut = shutGate()
  const readers = Array.from({ length: 50 }, () => read('page', { userId: 'a', run: shut.run }, statement))
  expect(shut.enteredCount()).toBe(1)
  shut.open()
  expect(await Promise.all(readers)).toEqual(readers.map(() => 1))
})

test('another read, and the same one after it has ended, run statements of their own', async () => {
  const { read } = sharedReads<number>()
  const { statement } = counted()
  const reader = { userId: 'a', run: openGate }
  expect(await Promise.all([read('one', reader, statement), read('two', reader, statement)])).toEqual([1, 2])
  expect(await read('one', reader, statement)).toBe(3)
})

test('a statement that fails fails for all its readers, and the next read starts again', async () => {
  const { read } = sharedReads<number>()
  const fail = () => Promise.reject(new Error('it failed'))
  const reader = { userId: 'a', run: openGate }
  const both = [read('page', reader, fail), read('page', { userId: 'b', run: openGate }, fail)]
  expect(await Promise.allSettled(both)).toMatchObject(both.map(() => ({ reason: new Error('it failed') })))
  expect(await read('page', reader, async () => 7)).toBe(7)
})
