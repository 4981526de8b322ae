import { randomBytes } from 'node:crypto'
import { readQueryString } from '../../http/request/query-string.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { RecordDeps } from '../../records/record-deps.ts'

type Database = RecordDeps['database']

/** Addresses that one user has at the same time; the oldest make room. */
const maxOfUser = 1_000

/** @returns the id by which the user finds the parameters for a day */
export async function keepTinyAddress(query: string, userId: string, database: Database): Promise<string> {
  const id = randomBytes(16).toString('hex')
  await database.rows(sql`
    with kept as (insert into docket_system.tiny_address (id, user_id, query) values (${id}, ${userId}::bigint, ${query}))
    delete from docket_system.tiny_address where id in (
      select t.id from docket_system.tiny_address t where t.user_id = ${userId}::bigint
      order by t.made_at desc, t.id offset ${maxOfUser - 1})`)
  return id
}

const NAME = 'sysparm_tiny'

/** The parameters of a list with those for which `sysparm_tiny` stands; the request's own come first. */
export async function withTinyAddress(
  parameters: ReadonlyMap<string, string>,
  userId: string,
  database: Database,
): Promise<Result<ReadonlyMap<string, string>, Problem>> {
  const id = parameters.get(NAME)?.trim() ?? ''
  if (id === '') return succeed(parameters)
  const [stored] = await database.rows<{ readonly query: string }>(sql`
    select query from docket_system.tiny_address
    where id = ${id} and user_id = ${userId}::bigint and made_at > docket_system.now_utc() - interval '1 day'`)
  if (stored === undefined) {
    const expected = 'an id that POST /api/now/tinyurl gave to you less than a day ago'
    return fail({ kind: 'bad-parameter', parameter: NAME, found: id.slice(0, 60), expected })
  }
  const read = readQueryString(stored.query)
  if (!read.ok) return read
  const own = [...parameters].filter(([name]) => name !== NAME)
  return succeed(new Map([...read.value, ...own].filter(([name]) => name !== NAME)))
}

/** Addresses that are older than a day. */
export async function clearTinyAddresses(database: Database): Promise<void> {
  await database.rows(
    sql`delete from docket_system.tiny_address where made_at < docket_system.now_utc() - interval '1 day'`,
  )
}
