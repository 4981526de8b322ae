import type { Database } from '../database/database.ts'
import { startLoop } from '../kernel/loop.ts'
import { sql } from '../kernel/sql.ts'
import type { DenialProblem } from './denial.ts'
import { type CountedDenial, type DenialCounter, MAX_OF_USER } from './denial-counter.ts'

/** Maximum stored denials; those whose last request is the longest ago are deleted first. */
const MAX_STORED = 1_000
const STORE_EVERY_MS = 2_000

/** Stores the denials of this process at intervals and when it stops. Sends no statement if no request was denied. */
export function runDenialStore(
  counter: DenialCounter,
  { database, onError }: { readonly database: Database; readonly onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const turn = (): Promise<void> => storeDenials(database, counter.take())
  const loop = startLoop({ turn, everyMs: STORE_EVERY_MS, onError })
  return {
    async stop() {
      await loop.stop()
      await turn().catch(onError)
    },
  }
}

async function storeDenials(database: Database, denials: readonly CountedDenial[]): Promise<void> {
  if (denials.length === 0) return
  // Sorted, so that processes that store the same denials do not deadlock.
  const rows = denials.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  await database.inTransaction(async (session) => {
    for (const denial of rows) await session.rows(upsert(denial))
    await session.rows(sql`delete from docket_system.denial where id in (
      select id from (
        select id, row_number() over (order by last_at desc, id) as number,
          row_number() over (partition by user_id order by last_at desc, id) as of_user
        from docket_system.denial) as numbered
      where number > ${MAX_STORED}::integer or of_user > ${MAX_OF_USER}::integer)`)
  })
}

/** A user who was deleted meanwhile has no denials. */
const upsert = ({ requests, firstMs, lastMs, problem, ...denial }: CountedDenial) => sql`
  insert into docket_system.denial as d
    (id, user_id, problem, table_name, record_id, method, route, requests, first_at, last_at)
  select ${denial.id}, u.sys_id, ${JSON.stringify(problem)}::jsonb, ${denial.table}, ${denial.recordId}, ${denial.method}, ${denial.route},
    ${requests}::bigint, ${utcText(firstMs)}::timestamp, ${utcText(lastMs)}::timestamp
  from docket."user" as u where u.sys_id = ${denial.userId}::bigint
  on conflict (id) do update set requests = d.requests + excluded.requests, last_at = greatest(d.last_at, excluded.last_at)`

const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19)

/** A stored denial with the names of its user. */
export interface StoredDenial {
  readonly userId: string
  readonly userName: string
  readonly displayName: string
  readonly problem: DenialProblem
  readonly table: string | null
  readonly recordId: string | null
  readonly method: string
  readonly route: string
  readonly requests: number
  /** UTC. */
  readonly firstAt: string
  readonly lastAt: string
}

/** The latest denials first. @param wanted null: of all users, of all tables */
export async function listDenials(
  database: Database,
  wanted: { readonly userName: string | null; readonly table: string | null; readonly limit: number },
): Promise<readonly StoredDenial[]> {
  const rows = await database.rows(sql<StoredDenial>`
    select d.user_id::text as "userId", u.user_name as "userName", coalesce(u.display_name, u.user_name) as "displayName", d.problem,
      d.table_name as "table", d.record_id as "recordId", d.method, d.route, d.requests,
      d.first_at::text as "firstAt", d.last_at::text as "lastAt"
    from docket_system.denial as d join docket."user" as u on u.sys_id = d.user_id
    where (${wanted.userName}::text is null or docket_system.fold(u.user_name) = docket_system.fold(${wanted.userName}::text))
      and (${wanted.table}::text is null or d.table_name = ${wanted.table}::text)
    order by d.last_at desc, d.id limit ${wanted.limit}::integer`)
  // The driver reads a bigint as text.
  return rows.map((row) => ({ ...row, requests: Number(row.requests) }))
}
