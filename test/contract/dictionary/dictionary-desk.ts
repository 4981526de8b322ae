import { sql } from '../../../src/kernel/sql.ts'
import { admin } from '../../harness/fresh-database.ts'
import type { ReceivedResponse } from '../../harness/send-request.ts'
import { type RunningDocket, type StartDocketOptions, startDocket } from '../../harness/start-docket.ts'

/** An administrator's client of the Table API, with functions for the usual steps in tests of the dictionary. */
export interface DictionaryDesk {
  readonly docket: RunningDocket
  send(line: string, body?: unknown): Promise<ReceivedResponse>
  /** Creates a table. @returns its sys_id */
  table(name: string, more?: Readonly<Record<string, unknown>>): Promise<string>
  /** Creates a column. @returns its sys_id */
  column(table: string, name: string, type: string, more?: Readonly<Record<string, unknown>>): Promise<string>
  /** Creates a record. @returns its sys_id */
  record(table: string, values: Readonly<Record<string, unknown>>): Promise<string>
  /** Reads records, in the order of their creation. */
  records(table: string, fields: string): Promise<unknown>
  tableId(name: string): Promise<string>
  typeId(name: string): Promise<string>
  /** PostgreSQL's columns of a table, with their types. */
  storage(table: string): Promise<Readonly<Record<string, string>>>
  close(): Promise<void>
}

export async function openDesk(options: StartDocketOptions = {}): Promise<DictionaryDesk> {
  const docket = await startDocket(options)
  const send: DictionaryDesk['send'] = (line, body) => {
    const [method = '', ...path] = line.split(' ')
    return docket.request(method, path.join(' '), { as: admin, ...(body === undefined ? {} : { body }) })
  }
  const create = async (table: string, values: Readonly<Record<string, unknown>>): Promise<string> => {
    const response = await send(`POST /rest/v1/table/${table}?sysparm_fields=sys_id`, values)
    if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
    return (response.body as { data: readonly { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }
  const one = async (statement: ReturnType<typeof sql>): Promise<string> => {
    const [row] = (await docket.database.rows(statement)) as readonly { id: string }[]
    if (row === undefined) throw new Error('not found')
    return row.id
  }
  const tableId = (name: string) => one(sql`select sys_id::text as id from docket.sys_db_table where name = ${name}`)
  const typeId = (name: string) =>
    one(sql`select sys_id::text as id from docket.sys_db_column_type where name = ${name}`)
  return {
    docket,
    send,
    table: (name, more = {}) => create('sys_db_table', { name, title: name, ...more }),
    column: async (table, name, type, more = {}) =>
      create('sys_db_column', {
        table_id: await tableId(table),
        column_name: name,
        title: name,
        column_type_id: await typeId(type),
        ...more,
      }),
    record: create,
    records: async (table, fields) => {
      const response = await send(
        `GET /rest/v1/table/${table}?sysparm_limit=0&sysparm_exclude_reference_link=1&sysparm_fields=${fields}`,
      )
      return response.status === 200 ? (response.body as { data: unknown }).data : response.body
    },
    tableId,
    typeId,
    storage: async (table) => {
      const rows = await docket.database.rows<{ name: string; type: string }>(sql`
        select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = to_regclass(${`docket.${table}`}) and attnum > 0 and not attisdropped 
          and attname not like 'sys\_%' and attname <> 'update$count' order by attnum`)
      return Object.fromEntries(rows.map((row) => [row.name, row.type]))
    },
    close: () => docket.close(),
  }
}

/** The error in a response, without the request id. */
export function errorIn(response: ReceivedResponse): unknown {
  const { errors } = response.body as { errors: readonly unknown[] }
  return { status: response.status, ...(errors[0] as object) }
}
