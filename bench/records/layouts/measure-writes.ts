import { administratorId } from '../../../src/identity/administrator.ts'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { recordRequest } from '../../../src/records/parse/record-request.ts'
import { recordCall } from '../../../src/records/record-call.ts'
import { runRecordRequest } from '../../../src/records/run-record-request.ts'
import type { Seeded } from '../seed.ts'
import type { Side } from './side.ts'

/** A write of a task that is measured. */
export interface WriteKind {
  readonly name: string
  readonly operation: 'patch' | 'create'
  readonly valuesOf: (n: number, seeded: Seeded) => Readonly<Record<string, unknown>>
}

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length]

export const WRITE_KINDS: readonly WriteKind[] = [
  {
    name: 'an assignment',
    operation: 'patch',
    valuesOf: (n, { userIds }) => ({ assigned_user: at(userIds, n) }),
  },
  { name: 'a state', operation: 'patch', valuesOf: (n) => ({ state: String(n % 6) }) },
  {
    name: 'a searched text',
    operation: 'patch',
    valuesOf: (n) => ({ short_description: `Called back, asked for the log; attempt ${n}` }),
  },
  {
    name: 'a new task',
    operation: 'create',
    valuesOf: (n, { userIds, groupIds }) => ({
      subject: `Не печатает принтер ${n}`,
      short_description: `Room ${n}: reported by phone, asks for a call back`,
      description: 'Пользователь сообщает, что ошибка повторяется. It worked yesterday. ',
      caller: at(userIds, n),
      assigned_user: at(userIds, n * 3),
      assignment_group: at(groupIds, n),
    }),
  },
]

/** Of one write, on average; without images of whole pages. */
export interface MeasuredWrites {
  readonly kind: string
  readonly walBytes: number
  readonly walRecords: number
  /** The part of the updates of tasks that wrote no index; null: there were none. */
  readonly hotPart: number | null
  readonly cpuUs: number
  readonly parts: readonly { readonly part: string; readonly bytes: number; readonly records: number }[]
  /** What it writes later, when the words and parts that wait are moved into their indexes. */
  readonly movedBytes: number
}

/** @param from the number of the first write: each changes another task */
export async function measureWrites(
  side: Side,
  kind: WriteKind,
  { seeded, from, count }: { readonly seeded: Seeded; readonly from: number; readonly count: number },
): Promise<MeasuredWrites> {
  await moveWaiting(side)
  const before = { wal: await position(side), cpuUs: await side.cpuUs() }
  for (let n = from; n < from + count; n += 1) await write(side, kind, { seeded, n })
  const cpuUs = (await side.cpuUs()) - before.cpuUs
  const after = await position(side)
  const parts = await readParts(side, before.wal, after)
  await moveWaiting(side)
  const moved = await readParts(side, after, await position(side))
  const perWrite = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / count
  const hot = perWrite(parts.map((part) => part.hot))
  const updates = hot + perWrite(parts.map((part) => part.others))
  return {
    kind: kind.name,
    walBytes: perWrite(parts.map(({ bytes }) => bytes)),
    walRecords: perWrite(parts.map(({ records }) => records)),
    hotPart: updates === 0 ? null : hot / updates,
    cpuUs: cpuUs / count,
    parts: parts.map(({ part, bytes, records }) => ({ part, bytes: bytes / count, records: records / count })),
    movedBytes: perWrite(moved.map(({ bytes }) => bytes)),
  }
}

async function write(
  { database, deps }: Side,
  { operation, valuesOf }: WriteKind,
  { seeded, n }: { readonly seeded: Seeded; readonly n: number },
): Promise<void> {
  const sender = await loadPrincipal(database, administratorId)
  if (sender === undefined) throw new Error('the database has no administrator')
  const sysId = operation === 'create' ? null : (at(seeded.taskIds, n) ?? null)
  const body = new Map(Object.entries(valuesOf(n, seeded)))
  const request = recordRequest({ operation, table: 'task', sysId, body })
  const result = await runRecordRequest(deps, recordCall({ ...sender, baseUrl: '' }, request, null))
  if (!result.ok) throw new Error(JSON.stringify(result.error))
}

/** Words and parts of texts wait in a list of their index. */
const moveWaiting = ({ database }: Side): Promise<unknown> =>
  database.rows(sql`
    select gin_clean_pending_list(c.oid) from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_am m on m.oid = c.relam
    where m.amname = 'gin' and c.relkind = 'i' and n.nspname in ('docket', 'bench') and c.relname ~ '^index_'`)

async function position({ database }: Side): Promise<string> {
  // What a statement without a transaction id wrote, as the moving of waiting words, is flushed by the next commit of another.
  await database.rows(sql`select pg_logical_emit_message(true, 'bench', '')`)
  const [row] = await database.rows<{ at: string }>(sql`select pg_current_wal_flush_lsn()::text as at`)
  return row?.at ?? ''
}

interface WrittenPart {
  readonly part: string
  readonly bytes: number
  readonly records: number
  /** Updates of tasks: HOT, and others. */
  readonly hot: number
  readonly others: number
}

/** What was written, by the relation of the first page of each record. */
async function readParts({ database }: Side, from: string, to: string): Promise<readonly WrittenPart[]> {
  // PostgreSQL fails to read a range without a record.
  if (from === to) return []
  const rows = await database.rows<Readonly<Record<keyof WrittenPart, string>>>(sql`
    with first_block as (
      select distinct on (start_lsn) start_lsn, relfilenode, reldatabase from pg_get_wal_block_info(${from}::pg_lsn, ${to}::pg_lsn, false)
      order by start_lsn, block_id)
    select case
        when c.oid is null then 'commit and other'
        when m.amname = 'gin' and pg_get_indexdef(c.oid) like '%gin_trgm_ops%' then 'index of parts'
        when m.amname = 'gin' then 'index of words'
        when x.indexrelid is null then c.relname || ': row'
        when t.relname like 'task%' then t.relname || ': other indexes'
        else c.relname end as part,
      sum(r.record_length - r.fpi_length)::text as bytes, count(*)::text as records,
      count(*) filter (where c.oid = 'docket.task'::regclass and r.record_type like 'HOT_UPDATE%')::text as hot,
      count(*) filter (where c.oid = 'docket.task'::regclass and r.record_type like 'UPDATE%')::text as others
    from pg_get_wal_records_info(${from}::pg_lsn, ${to}::pg_lsn) r
    left join first_block b on b.start_lsn = r.start_lsn and b.reldatabase = (select oid from pg_database where datname = current_database())
    left join pg_class c on c.relfilenode = b.relfilenode
    left join pg_index x on x.indexrelid = c.oid left join pg_class t on t.oid = x.indrelid left join pg_am m on m.oid = c.relam
    group by 1 order by 1`)
  return rows.map(({ part, bytes, records, hot, others }) => ({
    part,
    bytes: Number(bytes),
    records: Number(records),
    hot: Number(hot),
    others: Number(others),
  }))
}
