import { afterAll, beforeAll, expect, test } from 'vitest'
import { commitOrRollback } from '../../src/database/commit-or-rollback.ts'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { parseRecordRequest } from '../../src/records/parse/parse-record-request.ts'
import { createRecordDeps } from '../../src/records/record-deps.ts'
import { prepareCall } from '../../src/records/request-stages.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'

const ADMIN = '155931135900000001'

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

/** PostgreSQL's plan of a search if it may neither read all rows nor scan the key in order. */
async function planOf(table: string, query: string): Promise<string> {
  const { database } = desk.docket
  const deps = createRecordDeps({ database, clock: { nowMs: () => 0 } })
  const loaded = await loadPrincipal(database, ADMIN)
  if (loaded === undefined) throw new Error('no administrator')
  const { principal, identityEpoch } = loaded
  const parsed = parseRecordRequest({
    operation: 'list',
    table,
    sysId: null,
    parameters: new Map([['sysparm_query', query]]),
    body: undefined,
    ifMatch: null,
    idempotencyKey: null,
  })
  if (!parsed.ok) throw new Error(`rejected: ${JSON.stringify(parsed.error)}`)
  const catalog = await deps.catalog.current()
  const call = { request: parsed.value.request, principal, identityEpoch, baseUrl: '' }
  const ready = await prepareCall(call, { deps, catalog })
  if (!ready.ok) throw new Error(`rejected: ${JSON.stringify(ready.error)}`)
  const { authorized, found, bound } = ready.value
  return commitOrRollback<string>(database, async (session, rollback) => {
    const { storage } = authorized.table
    // On an empty table the index on the classes costs the same, and so do those for orders.
    const others = await session.rows<{ name: string }>(sql`
      select indexname as name from pg_indexes where schemaname = ${storage.schema} and tablename in (${storage.table}, 'user')
        and (indexdef like '%btree (sys_db_table_id, sys_id)' or indexdef like '%btree (%COLLATE %')`)
    for (const { name } of others) await session.rows(sql`drop index ${sql.id(storage.schema, name)}`)
    await session.rows(sql`set local enable_seqscan = off`)
    await session.rows(sql`set local enable_indexscan = off`)
    const { text, name } = found.prepared.statement
    const lines = await session.run(
      { name: `${name}_explain`.slice(-63), text: `explain (costs off) ${text}` },
      bound.parameters,
    )
    return rollback(lines.join('\n'))
  })
}

const searchIndexes = (table: string) => indexesFor('search', table)
const containsIndexes = (table: string) => indexesFor('contains', table)

async function indexesFor(
  purpose: string,
  table: string,
): Promise<readonly { readonly column_names: readonly string[]; readonly storage_index: string }[]> {
  return (await desk.records(
    'sys_db_index',
    `column_names,storage_index&sysparm_query=table_id.name=${table}^purpose=${purpose}^ORDERBYsys_id`,
  )) as never
}

test('a search of the shipped tables is served by an index, by the path of a child too', async () => {
  const [index] = await searchIndexes('task')
  expect(index?.column_names).toEqual(['number', 'subject', 'short_description', 'description'])
  expect(await planOf('task', 'AREпринтер')).toContain(`Bitmap Index Scan on ${index?.storage_index}`)
  expect(await planOf('itsm_incident', '123TEXTQUERY321=printer')).toContain(
    `Bitmap Index Scan on ${index?.storage_index}`,
  )
})

test('reading on by sys_id is served by the primary key (issue 10, 4)', async () => {
  const plan = await planOf('task', 'sys_id>155931135900000001^ORDERBYsys_id')
  expect(plan).toMatch(/task_pkey[^\n]*\n\s+Index Cond: \(sys_id > /)
  expect(plan).not.toContain('Seq Scan on task')
})

test('the index follows what is searched', async () => {
  const parent = await desk.table('note', { is_extendable: true })
  const title = await desk.column('note', 'title', 'string', { full_text_search: true })
  await desk.table('note_memo', { parent_id: parent })
  expect((await searchIndexes('note')).map(({ column_names }) => column_names)).toEqual([['title']])
  expect(await searchIndexes('note_memo')).toEqual([])

  await desk.column('note_memo', 'body', 'text', { full_text_search: true })
  await desk.record('note_memo', { title: 'Печать', body: 'Printers are slow' })
  await desk.record('note', { title: 'Принтеры' })
  const [memo] = await searchIndexes('note_memo')
  expect(memo?.column_names).toEqual(['title', 'body'])
  expect(await planOf('note_memo', 'AREprinter')).toContain(`Bitmap Index Scan on ${memo?.storage_index}`)
  expect(await desk.records('note', `title&sysparm_query=${encodeURIComponent('AREпринтер')}`)).toEqual([
    { title: 'Принтеры' },
  ])
  expect(await desk.records('note_memo', `title&sysparm_query=${encodeURIComponent('AREпечать printer')}`)).toEqual([
    { title: 'Печать' },
  ])

  expect(
    (await desk.send(`PATCH /rest/v1/table/sys_db_column/${title}`, { column_type_id: await desk.typeId('text') }))
      .status,
  ).toBe(200)
  const [renewed] = await searchIndexes('note')
  expect(await planOf('note', 'AREпринтер')).toContain(`Bitmap Index Scan on ${renewed?.storage_index}`)

  expect((await desk.send(`PATCH /rest/v1/table/sys_db_column/${title}`, { full_text_search: false })).status).toBe(200)
  expect(await searchIndexes('note')).toEqual([])
  expect((await searchIndexes('note_memo')).map(({ column_names }) => column_names)).toEqual([['body']])
  const known = await desk.docket.database.rows<{ n: number }>(
    sql`select count(*)::integer as n from pg_indexes where schemaname = 'docket' and tablename = 'note' and indexdef like '%gin%'`,
  )
  expect(known).toEqual([{ n: 1 }])
})

test.each([
  ['task', 'subjectLIKEпринтер'],
  ['task', 'subjectSTARTSWITHНе печ'],
  ['task', 'subjectENDSWITHer 42'],
  ['task', 'numberLIKEC00'],
  ['task', 'short_descriptionMATCH_PAT*room?12*'],
  ['itsm_incident', 'subjectLIKE100%_a'],
])('a condition on a part of a text is served by trigrams: %s %s (issue 12, C)', async (table, query) => {
  const [index] = await containsIndexes('task')
  expect(await planOf(table, query)).toMatch(
    new RegExp(`Bitmap Index Scan on ${index?.storage_index}\\n\\s+Index Cond: \\(+lower`),
  )
})

test('a condition on a part of a display value is served by trigrams of the table behind the reference (issue 12, C)', async () => {
  const [index] = await containsIndexes('user')
  for (const query of ['callerLIKEивано', 'caller.display_nameLIKEивано', 'assigned_userSTARTSWITHАнна']) {
    expect(await planOf('task', query)).toContain(`Bitmap Index Scan on ${index?.storage_index}`)
  }
})

test('a text that is displayed for records has trigrams, and others have them by request (issue 12, C)', async () => {
  const shelf = await desk.table('shelf')
  await desk.column('shelf', 'name', 'string', { display_by_ref: true })
  const place = await desk.column('shelf', 'place', 'string')
  await desk.column('shelf', 'height', 'integer')
  await desk.record('shelf', { name: 'Верхняя полка', place: 'Room 12, 100%' })
  expect((await containsIndexes('shelf')).map(({ column_names }) => column_names)).toEqual([['name']])

  const wanted = { table_id: shelf, column_names: ['place'], purpose: 'contains' }
  expect((await desk.send('POST /rest/v1/table/sys_db_index', wanted)).status).toBe(200)
  const [, index] = await containsIndexes('shelf')
  expect(await planOf('shelf', 'placeLIKEoom')).toContain(`Bitmap Index Scan on ${index?.storage_index}`)
  for (const [query, found] of [
    ['placeLIKE100%', 1],
    ['placeLIKEroom_12', 0],
    ['placeSTARTSWITHROOM', 1],
    ['placeENDSWITH0%', 1],
    ['nameLIKEПОЛК', 1],
    ['nameNOT LIKEполк', 0],
  ] as const) {
    const records = (await desk.records(
      'shelf',
      `name&sysparm_query=${encodeURIComponent(query)}`,
    )) as readonly unknown[]
    expect([query, records.length]).toEqual([query, found])
  }

  const rejected = await desk.send('POST /rest/v1/table/sys_db_index', { ...wanted, column_names: ['height'] })
  expect(rejected).toMatchObject({
    status: 422,
    body: {
      errors: [{ field: 'column_names', message: expect.stringContaining('an index for contains serves texts') }],
    },
  })

  // A number has no parts.
  const changed = await desk.send(`PATCH /rest/v1/table/sys_db_column/${place}?sysparm_confirm=shelf.place`, {
    column_type_id: await desk.typeId('integer'),
  })
  expect(changed.status).toBe(200)
  expect((await containsIndexes('shelf')).map(({ column_names }) => column_names)).toEqual([['name']])
})

test('an index for contains has references to records of Docket beside its texts, and stays without those that are deleted (issue 12, C)', async () => {
  const { database } = desk.docket
  const tool = await desk.table('tool')
  await desk.column('tool', 'name', 'string')
  await desk.column('tool', 'weight', 'integer')
  const reference_id = await desk.tableId('user')
  await desk.column('tool', 'owner', 'reference', { reference_id })
  await desk.column('tool', 'keeper', 'reference', { reference_id })
  const maker = await desk.column('tool', 'maker', 'reference', { reference_id })
  const wanted = { table_id: tool, column_names: ['name'], purpose: 'contains' }
  const rejected = await desk.send('POST /rest/v1/table/sys_db_index', { ...wanted, included_columns: ['weight'] })
  expect(rejected).toMatchObject({
    status: 422,
    body: {
      errors: [{ field: 'included_columns', message: expect.stringContaining('includes references to records') }],
    },
  })
  const made = await desk.send('POST /rest/v1/table/sys_db_index', {
    ...wanted,
    included_columns: ['owner', 'keeper', 'maker'],
  })
  expect(made.status).toBe(200)

  const described = async () => {
    const rows = await database.rows<{ included: readonly string[]; state: string; definition: string }>(sql`
      select i.included_columns as included, i.state, pg_get_indexdef(to_regclass('docket.' || i.storage_index)) as definition
      from docket.sys_db_index i where i.table_id = ${tool}::bigint and i.purpose = 'contains'`)
    return rows.map(({ included, state, definition }) => [
      included.join(),
      state,
      /ARRAY\[.*\]/.exec(definition)?.[0] ?? definition.replace(/^.* gin /, ''),
    ])
  }
  expect(await described()).toEqual([['owner,keeper,maker', 'ready', 'ARRAY[owner, keeper, maker]']])
  // Statements know of it at once.
  const query = `nameLIKEhammer^owner=${ADMIN}`
  expect(await planOf('tool', query)).toContain('ARRAY[')

  expect((await desk.send(`DELETE /rest/v1/table/sys_db_column/${maker}?sysparm_confirm=tool.maker`)).status).toBe(200)
  expect(await described()).toEqual([['owner,keeper', 'ready', 'ARRAY[owner, keeper]']])
  await desk.record('tool', { name: 'Sledgehammer', owner: ADMIN })
  await desk.record('tool', { name: 'Hammer' })
  expect(await desk.records('tool', `name&sysparm_query=${encodeURIComponent(query)}`)).toEqual([
    { name: 'Sledgehammer' },
  ])
})

test('an index for conditions is built again without included columns that are deleted or get another type', async () => {
  const { database } = desk.docket
  const box = await desk.table('box')
  await desk.column('box', 'weight', 'integer')
  await desk.column('box', 'sealed', 'boolean')
  const size = await desk.column('box', 'size', 'integer')
  const fragile = await desk.column('box', 'fragile', 'boolean')
  const made = await desk.send('POST /rest/v1/table/sys_db_index', {
    table_id: box,
    column_names: ['weight'],
    included_columns: ['size', 'fragile', 'sealed'],
  })
  expect(made.status).toBe(200)
  const definition = async () => {
    const [row] = await database.rows<{ text: string }>(sql`
      select regexp_replace(pg_get_indexdef(to_regclass('docket.' || i.storage_index)), '^.* btree ', '') as text
      from docket.sys_db_index i where i.table_id = ${box}::bigint and i.purpose = 'conditions' and i.column_names = '{weight}'`)
    return row?.text
  }
  const deleted = await desk.send(`DELETE /rest/v1/table/sys_db_column/${fragile}?sysparm_confirm=box.fragile`)
  expect(deleted.status).toBe(200)
  expect(await definition()).toBe('(weight, sys_id) INCLUDE (size, sealed)')
  const changed = await desk.send(`PATCH /rest/v1/table/sys_db_column/${size}?sysparm_confirm=box.size`, {
    column_type_id: await desk.typeId('string'),
  })
  expect(changed.status).toBe(200)
  expect(await definition()).toBe('(weight, sys_id) INCLUDE (sealed)')
})
