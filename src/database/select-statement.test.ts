import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { selectRows, selectStatement } from './select-statement.ts'

test('the select list is written from the members, and rows are read by them', async () => {
  const statement = selectStatement<{ readonly id: string; readonly count: number }>({
    name: 'example',
    before: 'with t as (select 1)',
    columns: { id: 'u.sys_id', count: 'count(*)' },
    from: 'from u',
  })
  expect(statement.text).toBe('with t as (select 1) select u.sys_id, count(*) from u')
  const run = async () => [['7', 1] as const, [null, 0] as const]
  expect(await selectRows({ run }, statement, [])).toEqual([
    { id: '7', count: 1 },
    { id: null, count: 0 },
  ])
})

test('rows are read by position only where the statement is written from a plan of a record request (issue 9)', () => {
  // A statement whose rows nobody takes reads none.
  const byPosition = globSync('src/**/*.ts', { exclude: ['src/database/**'] }).filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      /(?<!^ *await )\b(database|session|replicas)\.run\(/m.test(readFileSync(file, 'utf8')),
  )
  expect(byPosition.sort()).toEqual([
    'src/bulk/dry-run.ts',
    'src/identity/authenticate.ts',
    'src/records/changes/visible-changes.ts',
    'src/records/create-together.ts',
    'src/records/run/read-replica.ts',
    'src/records/run/run-plan.ts',
  ])
})
