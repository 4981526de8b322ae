import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'
import { readHistory } from '../../src/records/changes/read-history.ts'
import { type Lab, openLab, principalOf, recordsOf, setRules } from './record-lab.ts'

/**
 * Lists of the logs: pages in any order cover every row once, and for a page PostgreSQL reads only its rows, not the whole log. The rows
 * are counted from its plan, so that the test does not depend on time.
 */
let lab: Lab
let last: { readonly text: string; readonly values: readonly unknown[] } | null = null
const CHANGES = 24_000
const reader = principalOf(['reader'])

beforeAll(async () => {
  lab = await openLab(
    (database): Database => ({
      ...database,
      run: (statement, values) => {
        last = { text: statement.text, values }
        return database.run(statement, values)
      },
    }),
  )
  const { tables } = lab.catalog
  await lab.database.rows(sql`insert into docket.lab (sys_id, sys_db_table_id, ctl, title)
    select 600000000000000000 + n, ${tables.get('lab')?.id}::bigint, n % 4, 'record ' || n from generate_series(0, 99) n`)
  await lab.database.rows(sql`
    insert into docket_system.change (position, operation, table_id, record_id, changed_at, changes, audited)
    select 500000000000000000 + n * 100000000::bigint, 'u', ${tables.get('lab')?.id}::bigint, (600000000000000000 + n % 100)::text,
      timestamp '2026-01-01' + n * interval '10 seconds', jsonb_build_object('title', array['a', 'b' || n], 'amount', array[n, n + 1], 'body', array[null, 'x']), n % 3 > 0
    from generate_series(1, ${CHANGES}) n`)
  await lab.database.rows(sql`insert into docket.sys_journal_entry (sys_db_table_id, table_id, record_id, column_name, value, sys_created_at)
    select ${tables.get('sys_journal_entry')?.id}::bigint, ${tables.get('lab')?.id}::bigint, (600000000000000000 + n % 100)::text, 'note', 'note ' || n,
      timestamp '2026-01-01' + n * interval '10 seconds' from generate_series(1, ${CHANGES}) n`)
  await lab.database.rows(sql`analyze docket_system.change`)
  await lab.database.rows(sql`analyze docket.sys_journal_entry`)
  await lab.database.rows(sql`analyze docket.lab`)
  await setRules(lab.database, [
    { operation: 'read', table: 'sys_history', roles: ['reader'] },
    { operation: 'read', table: 'sys_journal_entry', roles: ['reader'] },
    { operation: 'read', table: 'lab', roles: ['reader'], condition: 'ctl<2' },
    { operation: 'read', table: 'lab', column: 'body', roles: ['worker'] },
  ])
})
afterAll(() => lab.close())

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The number of rows that PostgreSQL read from tables for the last statement. */
async function rowsRead(): Promise<number> {
  if (last === null) throw new Error('nothing was asked')
  const [row] = await lab.database.run(
    { name: `explained_${Math.random()}`.slice(0, 40), text: `explain (analyze, format json) ${last.text}` },
    last.values,
  )
  const explained = (row?.[0] ?? []) as readonly { readonly Plan: PlanNode }[]
  const count = (node: PlanNode): number => {
    const own =
      node['Relation Name'] === undefined
        ? 0
        : (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    return own + (node.Plans ?? []).reduce((sum, child) => sum + count(child), 0)
  }
  return explained.reduce((sum, { Plan }) => sum + count(Plan), 0)
}

async function expectFew(): Promise<void> {
  const rows = await rowsRead()
  expect(rows).toBeGreaterThan(0)
  expect(rows).toBeLessThan(1_000)
}

const call = (table: string, as: typeof reader | undefined, parameters: Readonly<Record<string, string>>) =>
  lab.call({ table, parameters, ...(as === undefined ? {} : { as }) })

const cases = ['sys_history', 'sys_journal_entry'].flatMap((table) =>
  [undefined, reader].flatMap((as) =>
    ['', 'ORDERBYDESCsys_id', 'ORDERBYsys_id', 'ORDERBYDESCsys_created_at', 'ORDERBYsys_created_at'].map(
      (query) => [table, as === undefined ? 'an administrator' : 'who sees half', query, as] as const,
    ),
  ),
)

describe('a page costs what a page costs, whatever its order:', () => {
  test.each(cases)('%s for %s, %s', async (table, _who, query, as) => {
    const first = await call(table, as, { sysparm_query: query, sysparm_limit: '20' })
    expect(recordsOf(first).length).toBe(20)
    if (!first.ok) return
    expect(first.value.headers['x-total-count']).toBeUndefined()
    expect(first.value.headers['x-total-count-over']).toBe('10000')
    await call(table, as, { sysparm_query: query, sysparm_limit: '20', sysparm_no_count: '1' })
    await expectFew()
    const cursor = first.value.headers['x-next-cursor'] ?? ''
    const second = await call(table, as, {
      sysparm_query: query,
      sysparm_limit: '20',
      sysparm_no_count: '1',
      sysparm_cursor: cursor,
    })
    expect(recordsOf(second).length).toBe(20)
    await expectFew()
  })

  test('one row of history, and those after one', async () => {
    const [row] = recordsOf(
      await call('sys_history', undefined, { sysparm_query: 'ORDERBYDESCsys_id', sysparm_limit: '1' }),
    )
    const id = String(row?.['sys_id'])
    const one = await lab.call({ operation: 'read', table: 'sys_history', sysId: id })
    expect(recordsOf(one)).toEqual([row])
    expect(await rowsRead()).toBeLessThan(100)
    for (const query of [`sys_id=${id}`, `sys_idIN${id}`]) {
      const found = await call('sys_history', undefined, { sysparm_query: query, sysparm_no_count: '1' })
      expect([query, recordsOf(found)]).toEqual([query, [row]])
      expect(await rowsRead()).toBeLessThan(100)
    }
  })

  test('the history of one record that changed often', async () => {
    const question = { table: 'lab', sysId: '600000000000000001', baseUrl: '', limit: 20, skip: 0 }
    const rows: string[] = []
    for (let before: string | null = null; ; ) {
      const page = await readHistory(lab.deps, { ...question, principal: reader, before })
      if (!page.ok) throw new Error(JSON.stringify(page.error))
      expect(page.value.total).toBe(160)
      rows.push(...page.value.changes.map(({ change }) => change))
      for (const { columns } of page.value.changes) expect(columns.map(({ name }) => name)).toEqual(['amount', 'title'])
      before = page.value.next
      if (before === null) break
    }
    expect(rows.length).toBe(160)
    expect(rows).toEqual([...new Set(rows)].toSorted().toReversed())
  })
})

describe('pages cover every row once:', () => {
  const queries = ['', 'ORDERBYDESCsys_id', 'ORDERBYDESCsys_created_at', 'ORDERBYcolumn_name^ORDERBYDESCsys_id']
  test.each(queries)('%s', async (order) => {
    const narrowed = `record_idIN600000000000000001,600000000000000002${order === '' ? '' : `^${order}`}`
    const all = recordsOf(
      await call('sys_history', reader, { sysparm_query: narrowed, sysparm_limit: '10000', sysparm_fields: 'sys_id' }),
    )
    // A third of the changes is not audited, one of the two records is hidden, and so is the column `body`.
    expect(all.length).toBe(160 * 2)
    const seen: unknown[] = []
    for (let cursor = '*'; cursor !== ''; ) {
      const page = await call('sys_history', reader, {
        sysparm_query: narrowed,
        sysparm_limit: '37',
        sysparm_fields: 'sys_id',
        sysparm_cursor: cursor,
      })
      seen.push(...recordsOf(page))
      cursor = page.ok ? (page.value.headers['x-next-cursor'] ?? '') : ''
      expect(page.ok && page.value.headers['x-total-count']).toBe(String(160 * 2))
    }
    expect(seen).toEqual(all)
    expect(new Set(seen.map((row) => (row as { sys_id: string }).sys_id)).size).toBe(all.length)
  })
})
