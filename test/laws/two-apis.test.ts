import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OWN_KEY } from '../../src/column-types/record-key.ts'
import { printServedId } from '../../src/column-types/served-id.ts'
import { type DemoSignIn, demoSignIns } from '../../src/demo/public-passwords.ts'
import { sql } from '../../src/kernel/sql.ts'
import { TABLES } from '../../src/now/vocabulary.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket
let signIns: readonly DemoSignIn[]
let prefix = ''
/** Ids that scripts contain, by sys_id. */
let wellKnown: ReadonlyMap<string, string>
let tables: readonly string[]
beforeAll(async () => {
  docket = await startDocket({ template: 'demo' })
  signIns = await demoSignIns(docket.database)()
  const [served] = await docket.database.rows<{ prefix: string }>(sql`select prefix from docket_system.served_id`)
  prefix = served?.prefix ?? ''
  const known = await docket.database.rows<{ sys_id: string; id: string }>(
    sql`select sys_id::text as sys_id, id from docket_system.well_known_id`,
  )
  wellKnown = new Map(known.map(({ sys_id: sysId, id }) => [sysId, id]))
  const rows = await docket.database.rows<{ name: string }>(sql`select name from docket.sys_db_table order by name`)
  tables = rows.map(({ name }) => name)
})
afterAll(() => docket.close())

interface Rows {
  readonly status: number
  readonly total: unknown
  readonly ids: readonly string[]
}

type Row = Readonly<Record<string, string>>

async function listBy({ userName, password }: DemoSignIn, path: string): Promise<Rows> {
  const parameters = 'sysparm_fields=sys_id&sysparm_query=ORDERBYsys_id&sysparm_limit=10000'
  const response = await docket.request('GET', `${path}?${parameters}`, { as: { user: userName, password } })
  const body = response.body as { readonly data?: readonly Row[]; readonly result?: readonly Row[] }
  const rows = body.data ?? body.result ?? []
  return {
    status: response.status,
    total: response.headers['x-total-count'],
    ids: rows.map((row) => row['sys_id'] ?? ''),
  }
}

const served = (sysId: string): string => printServedId(sysId, { ...OWN_KEY, wellKnown }, prefix)
const nameHere = (table: string): string => TABLES[table] ?? table

test('every demo user sees the same rows of every table through both APIs (issue 15)', async () => {
  expect(signIns.length).toBeGreaterThan(3)
  expect(tables.length).toBeGreaterThan(30)
  let seen = 0
  for (const signIn of signIns) {
    for (const table of tables) {
      const native = await listBy(signIn, `/rest/v1/table/${table}`)
      const now = await listBy(signIn, `/api/now/table/${nameHere(table)}`)
      // Rows that only one API has: tables in the dictionary, values of states and approvals (test/contract/now/dictionary.test.ts).
      if (table === 'sys_db_column' || table === 'sys_choice') {
        const known = new Set(native.ids.map(served))
        const added = now.ids.filter((id) => !known.has(id))
        expect([now.status, now.ids]).toEqual([native.status, now.ids.toSorted()])
        expect(added.length).toBe(native.ids.length === 0 ? 0 : table === 'sys_choice' ? 60 : tables.length)
        if (table === 'sys_db_column') expect(now.ids.length).toBe(native.ids.length + added.length)
        continue
      }
      expect({ user: signIn.userName, table, ...now }).toEqual({
        user: signIn.userName,
        table,
        ...native,
        ids: native.ids.map(served).toSorted(),
      })
      // In the order of the texts, so that a list that continues after the last id neither repeats nor skips records.
      expect(now.ids).toEqual(now.ids.toSorted())
      seen += now.ids.length
    }
  }
  expect(seen).toBeGreaterThan(1_000)
})

test('pages by the last id and by offset read each record once (issue 15)', async () => {
  const read = async (more: string): Promise<readonly string[]> => {
    const path = `/api/now/table/task?sysparm_fields=sys_id&sysparm_limit=37&${more}`
    const { body } = await docket.request('GET', path, { as: admin })
    return (body as { readonly result: readonly Row[] }).result.map((row) => row['sys_id'] ?? '')
  }
  const all = await docket.database.rows<{ id: string }>(
    sql`select sys_id::text as id from docket.task order by sys_id`,
  )
  const expected = all.map(({ id }) => served(id))
  expect(expected.length).toBeGreaterThan(100)
  const byId: string[] = []
  const byOffset: string[] = []
  for (let page = await read('sysparm_query=ORDERBYsys_id'); page.length > 0; ) {
    byId.push(...page)
    page = await read(`sysparm_query=sys_id>${page.at(-1)}^ORDERBYsys_id`)
  }
  for (let page = await read('sysparm_offset=0'); page.length > 0; ) {
    byOffset.push(...page)
    page = await read(`sysparm_offset=${byOffset.length}`)
  }
  expect(byId).toEqual(expected)
  expect(byOffset).toEqual(expected)
})

describe('a record that is read and written back', () => {
  const stamps = ['sys_updated_at', 'sys_updated_by', 'update$count']
  const written = [
    'itsm_incident',
    'itsm_problem',
    'itsm_change_request',
    'itsm_request',
    'user',
    'sys_group',
    'company',
    'service',
  ]

  async function stored(table: string, id: string): Promise<object> {
    const [row] = await docket.database.rows<{ row: Record<string, unknown> }>(
      sql`select to_jsonb(t) as row from docket.${sql.id(table)} t where sys_id = ${id}::bigint`,
    )
    return Object.fromEntries(Object.entries(row?.row ?? {}).filter(([name]) => !stamps.includes(name)))
  }

  test.each(written)('changes nothing of %s, in any form (issue 15)', async (table) => {
    const root = table.startsWith('itsm_') ? 'task' : table
    const rows = await docket.database.rows<{ id: string }>(sql`select sys_id::text as id from docket.${sql.id(root)}
      where sys_db_table_id = (select sys_id from docket.sys_db_table where name = ${table}) order by sys_id limit 5`)
    expect(rows.length).toBeGreaterThan(0)
    for (const { id } of rows) {
      for (const form of ['', '?sysparm_display_value=all', '?sysparm_exclude_reference_link=true']) {
        const before = await stored(root, id)
        const path = `/api/now/table/${nameHere(table)}/${served(id)}`
        const read = await docket.request('GET', `${path}${form}`, { as: admin })
        expect(read.status).toBe(200)
        const body = (read.body as { readonly result: object }).result
        const response = await docket.request('PUT', path, { ...{ as: admin }, body })
        expect({ status: response.status, body: response.status === 200 ? null : response.body }).toEqual({
          status: 200,
          body: null,
        })
        expect(await stored(root, id)).toEqual(before)
      }
    }
  })
})
