import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, ok, rejected, setDocumentStage, type Who } from './stage.ts'

/** Only administrators may delete or unbind a collection that is bound to records or follows a table (issue 8, A2). */

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  const { database } = stage.docket
  await database.rows(sql`
    insert into docket.task (sys_id, sys_db_table_id, subject, active)
    select 700000001 + n, (select sys_id from docket.sys_db_table where name = 'task'), 'otter', n = 0
    from generate_series(0, 1) as n`)
  await database.rows(sql`delete from docket.sys_security_acl where table_name = 'task'`)
  await database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
    values ('read', 'task', '{}', 'active=true', true)`)
})
afterAll(() => stage.close())

type Kind = 'open' | 'bound' | 'bound, of own roles' | 'followed' | 'followed, and unbound'

let made = 0
async function collectionOf(kind: Kind): Promise<string> {
  const name = `guarded${made++}`
  const settings = {
    open: {},
    bound: { acl_table: 'task' },
    'bound, of own roles': { acl_table: 'task', reader_role: 'hr_documents', writer_role: 'hr_documents' },
    followed: null,
    'followed, and unbound': null,
  }[kind]
  if (settings !== null) expect((await stage.send('admin', `PUT /collections/${name}`, settings)).status).toBe(200)
  else {
    const body = { table: 'task', template: '{subject}', query: 'sys_id=0', exposed_columns: [] }
    const response = await stage.send('admin', `PUT /collections/${name}/follow`, body)
    expect([response.status, response.text]).toEqual([200, expect.anything()])
    // The first full resync removes documents of records that the query does not select.
    await expect
      .poll(async () => (await stage.send('admin', `GET /collections/${name}/follow`)).body, { timeout: 60_000 })
      .toMatchObject({ data: { state: 'following' } })
  }
  if (kind === 'followed, and unbound') await stage.send('admin', `PUT /collections/${name}`, { acl_table: null })
  for (const sysId of ['700000001', '700000002'])
    await stage.send('admin', `POST /load_text_to_collection?collection_name=${name}`, {
      metadata: { sys_id: sysId },
      text: `The otter of ${sysId}.`,
    })
  return name
}

async function stateOf(name: string): Promise<unknown> {
  const [row] = await stage.docket.database.rows(sql`
    select c.acl_table, (select count(*)::integer from docket_documents.document d
      where d.collection_id = c.id and d.removed_position is null) as documents
    from docket_documents.collection c where c.name = ${name} and c.removed_position is null`)
  return row ?? null
}

const admins = rejected('ACCESS_DENIED', 'You need the role admin to delete a collection that is bound to a table.')
const needs = (role: string) =>
  rejected('ACCESS_DENIED', `You need the role ${role} to change the documents of this collection.`)
const bound = { acl_table: 'task', documents: 2 }
const unbound = { acl_table: null, documents: 2 }
const removed = (count: number) => ok({ description: 'Documents successfully deleted.', count })

describe('delete_collection (issue 8, A2)', () => {
  const scenarios: readonly {
    readonly kind: Kind
    readonly as: Who
    readonly status: number
    readonly body: unknown
    /** The collection afterwards; null: it does not exist. */
    readonly left: unknown
  }[] = [
    { kind: 'open', as: 'writer', status: 200, body: removed(2), left: null },
    { kind: 'open', as: 'reader', status: 403, body: needs('document_writer'), left: unbound },
    { kind: 'bound', as: 'writer', status: 403, body: admins, left: bound },
    { kind: 'bound', as: 'reader', status: 403, body: needs('document_writer'), left: bound },
    { kind: 'bound', as: 'nobody', status: 403, body: needs('document_writer'), left: bound },
    { kind: 'bound', as: 'admin', status: 200, body: removed(2), left: null },
    { kind: 'bound, of own roles', as: 'hr', status: 403, body: admins, left: bound },
    { kind: 'bound, of own roles', as: 'writer', status: 404, body: expect.anything(), left: bound },
    { kind: 'bound, of own roles', as: 'admin', status: 200, body: removed(2), left: null },
    { kind: 'followed', as: 'writer', status: 403, body: admins, left: bound },
    { kind: 'followed', as: 'reader', status: 403, body: needs('document_writer'), left: bound },
    { kind: 'followed', as: 'admin', status: 200, body: removed(2), left: null },
    { kind: 'followed, and unbound', as: 'writer', status: 403, body: admins, left: unbound },
    { kind: 'followed, and unbound', as: 'admin', status: 200, body: removed(2), left: null },
  ]
  test.each(scenarios)('of one that is $kind, as $as: $status', async ({ kind, as, status, body, left }) => {
    const name = await collectionOf(kind)
    const response = await stage.send(as, `DELETE /delete_collection?collection_name=${name}`)
    expect([response.status, response.body]).toEqual([status, body])
    expect(await stateOf(name)).toEqual(left)
  })

  test('a writer who sees no document of it is rejected like one who sees all', async () => {
    const name = await collectionOf('bound')
    await stage.send('admin', `DELETE /delete_document_from_collection?collection_name=${name}&id_value=700000001`)
    const response = await stage.send('writer', `DELETE /delete_collection?collection_name=${name}`)
    expect([response.status, response.body]).toEqual([403, admins])
  })
})

test('a writer cannot unbind it, end its following, or load a document that it does not show (issue 8, A2)', async () => {
  const name = await collectionOf('followed')
  for (const [line, body] of [
    [`PUT /collections/${name}`, { acl_table: null }],
    [`PUT /collections/${name}/follow`, { table: 'task', template: 'x {subject}' }],
    [`DELETE /collections/${name}/follow`, undefined],
  ] as const)
    expect([line, (await stage.send('writer', line, body)).status]).toEqual([line, 403])
  const loaded = await stage.send('writer', `POST /load_text_to_collection?collection_name=${name}`, {
    metadata: { sys_id: '700000002' },
    text: 'x',
  })
  expect(loaded.status).toBe(422)
  expect(await stateOf(name)).toEqual(bound)
})

test('a first load that fails does not take the binding from the collection that it waited for (issue 8, A2)', async () => {
  const load = () =>
    stage.sendFile(
      'writer',
      'collection_name=awaited',
      { name: 'a.pdf', bytes: '%PDF-1.7 of nothing' },
      { doc_id: 'a' },
    )
  expect((await load()).status).toBe(422)
  expect((await stage.send('admin', 'PUT /collections/awaited', { acl_table: 'task' })).status).toBe(200)
  expect((await load()).status).toBe(422)
  expect((await stage.send('writer', 'DELETE /delete_collection?collection_name=awaited')).status).toBe(403)
  expect(await stateOf('awaited')).toEqual({ acl_table: 'task', documents: 0 })
})

test('a deletion that waits until an administrator has bound the collection is rejected (issue 14)', async () => {
  const name = await collectionOf('open')
  const { database } = stage.docket
  let deletion: ReturnType<DocumentStage['send']> | undefined
  await database.inTransaction(async (session) => {
    // As `PUT /collections/{name}` does it.
    await session.rows(sql`select docket_documents.next_position()`)
    await session.rows(sql`update docket_documents.collection set acl_table = 'task' where name = ${name}`)
    deletion = stage.send('writer', `DELETE /delete_collection?collection_name=${name}`)
    const waiting = () =>
      database.rows(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'docket_documents'`)
    await expect.poll(waiting, { timeout: 60_000 }).not.toEqual([])
  })
  const response = await deletion
  expect([response?.status, response?.body]).toEqual([403, admins])
  expect(await stateOf(name)).toEqual(bound)
})
