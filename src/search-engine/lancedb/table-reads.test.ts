import { expect, test } from 'vitest'
import { TableReads } from './table-reads.ts'

test('tables of a deleted collection are closed at once, or as soon as nothing reads them (issue 14, 5)', async () => {
  const closed: string[][] = []
  let used = ['a', 'b']
  const forgetOthers = (left: ReadonlySet<string>): void => void closed.push([...left])
  const reads = new TableReads({ forgetOthers }, () => new Set(used))
  await reads.during(async () => undefined)
  expect(closed).toEqual([])
  used = ['a']
  reads.closeUnused()
  expect(closed).toEqual([['a']])
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = [first, second].map(({ promise }) => reads.during(() => promise))
  used = []
  reads.closeUnused()
  first.resolve()
  await running[0]
  expect(closed).toHaveLength(1)
  second.reject(new Error('the place does not respond'))
  await expect(running[1]).rejects.toThrow()
  expect(closed).toEqual([['a'], []])
})
