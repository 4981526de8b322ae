import { expect, test } from 'vitest'
import { TableReads } from './table-reads.ts'

test('tables of a deleted collection are closed at once, and again after each work that may have opened them (issue 14, 5)', async () => {
  const closed: string[][] = []
  let used = ['a', 'b']
  const forgetOthers = (left: ReadonlySet<string>): void => void closed.push([...left])
  const reads = new TableReads({ forgetOthers }, () => new Set(used))
  await reads.during(async () => undefined)
  expect(closed).toEqual([])
  used = ['a']
  reads.closeUnused()
  expect(closed).toEqual([['a']])
  // Under load there is always some work: what was forgotten does not wait for all of it.
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = [first, second].map(({ promise }) => reads.during(() => promise))
  used = []
  reads.closeUnused()
  expect(closed).toEqual([['a'], []])
  first.resolve()
  await running[0]
  expect(closed).toEqual([['a'], [], []])
  second.reject(new Error('the place does not respond'))
  await expect(running[1]).rejects.toThrow()
  expect(closed).toEqual([['a'], [], [], []])
  await reads.during(async () => undefined)
  expect(closed).toHaveLength(4)
})
