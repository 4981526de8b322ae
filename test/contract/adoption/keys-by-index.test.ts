import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database, PreparedStatement } from '../../../src/database/database.ts'
import { administratorId } from '../../../src/identity/administrator.ts'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import type { ReceivedRequest } from '../../../src/records/parse/parse-record-request.ts'
import { createRecordDeps } from '../../../src/records/record-deps.ts'
import { respondAsText } from '../../harness/respond-as-text.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

/** Look-ups, field paths and pages use the indexes of the owner of the tables, for every kind of key. */

let desk: AdoptionDesk
let client: pg.Client
beforeAll(async () => {
  desk = await openAdoptionDesk('press')
  await desk.adopt()
  client = new pg.Client({
    connectionString: desk.docket.connectionString,
    options: '-c search_path=docket,docket_system',
  })
  await client.connect()
  await client.query(FILLING)
  // Some of these tables are so small that PostgreSQL would rightly scan them.
  await client.query('set enable_seqscan = off')
  await client.query('set enable_bitmapscan = off')
})
afterAll(async () => {
  await client.end()
  await desk.close()
})

/** So many rows that an index is faster, and indexes on foreign keys. */
const FILLING = `
  insert into press.person (id, name, email, mentor) select md5(n::text)::uuid, 'P' || n, n || '@example.org', null from generate_series(1, 2000) n;
  update press.person set mentor = id where mentor is null;
  insert into press.tag select 'T' || n from generate_series(1, 2000) n;
  insert into press.country select chr(97 + n / 10) || n % 10, 'C' || n from generate_series(1, 200) n;
  insert into press.subject select 'S' || n, 'S' || n, null from generate_series(1, 2000) n;
  insert into press.book (isbn, title, country, tag, owner)
    select 'B' || n, 'B' || n, chr(97 + n % 200 / 10) || n % 10, 'T' || n, n || '@example.org' from generate_series(1, 2000) n where n % 200 > 0;
  insert into press.edition select isbn, 1, null from press.book on conflict do nothing;
  insert into press.rate select date '2000-01-01' + n, 1 from generate_series(1, 2000) n;
  insert into press.sale (day, isbn, number) select date '2000-01-01' + (row_number() over ())::integer, isbn, 1 from press.edition where isbn like 'B%';
  insert into press.role select isbn, md5(row_number() over ()::text)::uuid, 'author', 1 from press.edition where isbn like 'B%';
  create index sale_edition on press.sale (isbn, number);
  create index sale_day on press.sale (day);
  create index book_owner on press.book (owner);
  create index book_country on press.book (country);
  create index book_tag on press.book (tag);
  create index person_mentor on press.person (mentor);
  analyze press.person, press.tag, press.country, press.subject, press.book, press.edition, press.rate, press.sale, press.role`

/** PostgreSQL's plan of the statement of a request. */
async function planOf(
  question: Partial<ReceivedRequest> & Pick<ReceivedRequest, 'operation' | 'table'>,
): Promise<string> {
  const seen: { statement: PreparedStatement; values: readonly unknown[] }[] = []
  const watched: Database = {
    ...desk.docket.database,
    run: (statement, values) => {
      if (statement.text.includes('"press"')) seen.push({ statement, values })
      return desk.docket.database.run(statement, values)
    },
  }
  const deps = createRecordDeps({ database: watched, clock: { nowMs: () => 0 } })
  const known = await loadPrincipal(desk.docket.database, administratorId)
  if (known === undefined) throw new Error('there is no administrator')
  const { principal, identityEpoch } = known
  const rest = { sysId: null, parameters: new Map(), body: undefined, baseUrl: '', ifMatch: null }
  const response = await respondAsText(deps, { ...rest, principal, identityEpoch, ...question })
  if (!response.ok) throw new Error(JSON.stringify(response.error))
  const [sent] = seen
  if (sent === undefined) throw new Error('nothing was asked of the tables')
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sent.statement.text}`, [...sent.values])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
const query = (text: string, more: Readonly<Record<string, string>> = {}) =>
  new Map(Object.entries({ sysparm_query: text, sysparm_no_count: '1', sysparm_fields: 'sys_id', ...more }))
const cursor = (...keys: readonly string[]) => ({
  sysparm_cursor: Buffer.from(JSON.stringify(keys)).toString('base64url'),
})

const sysIds = {
  person: '6b0a6f6e-7b0c-4f43-9c0e-0000000000a1',
  subject: 'math',
  country: 'ru',
  tag: 'FRESH',
  word: 'ЕЛЬ',
  book: '978-1',
  edition: '978-1~1',
  role: '6b0a6f6e-7b0c-4f43-9c0e-0000000000a1~author~978-1~1',
  rate: '2024-01-01',
} as const

test.each(Object.entries(sysIds))('a record of %s', async (table, sysId) => {
  const byKey = {
    read: await planOf({ operation: 'read', table, sysId }),
    patch: await planOf({ operation: 'patch', table, sysId, body: CHANGES[table] }),
    equals: await planOf({ operation: 'list', table, parameters: query(`sys_id=${sysId}`) }),
    in: await planOf({ operation: 'list', table, parameters: query(`sys_idIN${sysId}@${sysId}`) }),
  }
  await client.query('set enable_sort = off')
  const inOrder = {
    page: await planOf({ operation: 'list', table, parameters: query('') }),
    'next page': await planOf({ operation: 'list', table, parameters: query('', cursor(sysId)) }),
    'next page downwards': await planOf({
      operation: 'list',
      table,
      parameters: query('ORDERBYDESCsys_id', cursor(sysId)),
    }),
  }
  await client.query('reset enable_sort')
  for (const [name, plan] of Object.entries({ ...byKey, ...inOrder })) {
    expect([name, plan]).toEqual([
      name,
      expect.stringMatching(new RegExp(`Index (Only )?Scan (Backward )?using ${table}_pkey`)),
    ])
    expect([name, plan]).toEqual([name, expect.not.stringMatching(new RegExp(`Seq Scan on ${table}`))])
    if (name !== 'page') expect([name, plan]).toEqual([name, expect.stringContaining('Index Cond')])
  }
  for (const [name, plan] of Object.entries(inOrder))
    expect([name, plan]).toEqual([name, expect.not.stringContaining('Sort')])
})

const CHANGES: Readonly<Record<string, unknown>> = {
  person: { name: 'Other' },
  subject: { parent: null },
  country: { name: 'Land' },
  tag: { note: 'noted' },
  word: { note: 'noted' },
  book: { country: null },
  edition: { printed: null },
  role: { fee: '1.00' },
  rate: { value: '2.00' },
}

test.each([
  ['book', 'country.name=x', 'country'],
  ['book', 'tag.note=x', 'tag'],
  ['book', 'subject.parent.label=x', 'subject'],
  ['book', 'owner.name=x', 'person'],
  ['role', 'edition.printed=2024-01-01', 'edition'],
  ['sale', 'day.value=1', 'rate'],
])('%s is walked from by %s', async (table, condition, target) => {
  const plan = await planOf({ operation: 'list', table, parameters: query(condition) })
  expect(plan).toMatch(new RegExp(`Index (Only )?Scan (Backward )?using ${target}_pkey`))
})

test.each([
  ['sale', 'edition=978-1~1', 'sale_edition'],
  ['sale', 'editionIN978-1~1,978-1~2', 'sale_edition'],
  ['sale', 'day=2024-01-01', 'sale_day'],
  ['book', `owner=${sysIds.person}`, 'book_owner'],
  ['book', `ownerIN${sysIds.person}`, 'book_owner'],
  ['book', 'country=ru', 'book_country'],
  ['book', 'tagINfresh,old', 'book_tag'],
  ['person', `mentor=${sysIds.person}`, 'person_mentor'],
])('%s is found by %s', async (table, condition, index) => {
  const plan = await planOf({ operation: 'list', table, parameters: query(`${condition}^ORDERBYDESCsys_id`) })
  expect(plan).toMatch(new RegExp(`Index (Only )?Scan (Backward )?using ${index}`))
})
