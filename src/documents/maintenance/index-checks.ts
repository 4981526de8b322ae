import type { Database, Session } from '../../database/database.ts'
import type { VectorCheck } from '../../embeddings/verify-vectors.ts'
import { sql } from '../../kernel/sql.ts'
import type { IndexCheck } from '../sync/verify-index.ts'

/** The report of a process about a check of its index; `vectors`: null if it has no model. */
export type IndexReport =
  | { readonly stage: 'rebuilding' | 'comparing'; readonly done: number; readonly of: number }
  | { readonly stage: 'done'; readonly check: IndexCheck; readonly vectors: VectorCheck | null }
  | { readonly stage: 'failed'; readonly trouble: string }

/** A process that serves documents. */
export interface ServingProcess {
  readonly id: string
  readonly host: string
  /** Process id of the operating system. */
  readonly processId: number
}

/** A process without a signal for this long is gone: it signals three times as often, and a long pause is possible. */
const goneAfterSeconds = 30

const now = sql`clock_timestamp() at time zone 'UTC'`

export interface NewestCheck {
  /** 0: none was requested yet. */
  readonly id: number
  /** Whether differing vectors are read again; words are rebuilt through the change log. */
  readonly repairs: boolean
}

export async function readNewestCheck(session: Session): Promise<NewestCheck> {
  const [row] = await session.rows(sql<{ id: string; repairs: boolean }>`
    select id, mends as repairs from docket_documents.index_check order by id desc limit 1`)
  return { id: Number(row?.id ?? 0), repairs: row?.repairs === true }
}

/** Signals that the process is alive, and deletes processes that were killed long ago. */
export async function signalProcess(session: Session, { id, host, processId }: ServingProcess): Promise<void> {
  await session.rows(sql`
    with forgotten as (delete from docket_documents.process where seen_at < ${now} - interval '1 day')
    insert into docket_documents.process (id, host, process_id, seen_at) values (${id}, ${host}, ${processId}, ${now})
    on conflict (id) do update set seen_at = excluded.seen_at`)
}

export async function forgetProcess(session: Session, id: string): Promise<void> {
  await session.rows(sql`delete from docket_documents.process where id = ${id}`)
}

export async function writeReport(session: Session, checkId: number, id: string, report: IndexReport): Promise<void> {
  const { done = 0, of = 0 } = 'done' in report ? report : {}
  const result =
    report.stage === 'done'
      ? { ...report.check, vectors: report.vectors }
      : report.stage === 'failed'
        ? { trouble: report.trouble }
        : null
  await session.rows(sql`
    insert into docket_documents.index_report (check_id, process_id, stage, done, of, result)
    values (${checkId}, ${id}, ${report.stage}, ${done}, ${of}, ${result === null ? null : JSON.stringify(result)}::jsonb)
    on conflict (check_id, process_id) do update
      set stage = excluded.stage, done = excluded.done, of = excluded.of, result = excluded.result
      where docket_documents.index_report.stage not in ('done', 'failed')`)
}

export interface RequestedCheck {
  readonly id: number
  /** The processes at the time of the request; later ones do not take part. */
  readonly processes: readonly ServingProcess[]
}

/** Requests an index check from every process. */
export async function requestIndexCheck(
  database: Database,
  { repairs }: Pick<NewestCheck, 'repairs'>,
): Promise<RequestedCheck> {
  return database.inTransaction(async (session) => {
    await session.rows(sql`
      delete from docket_documents.process where seen_at < ${now} - make_interval(secs => ${goneAfterSeconds})`)
    await session.rows(sql`delete from docket_documents.index_check where asked_at < ${now} - interval '1 day'`)
    const [row] = await session.rows(sql<{ id: string }>`
      insert into docket_documents.index_check (asked_at, mends) values (${now}, ${repairs}) returning id`)
    const processes = await session.rows(sql<{ id: string; host: string; process_id: number }>`
      select id, host, process_id from docket_documents.process order by host, process_id`)
    return {
      id: Number(row?.id),
      processes: processes.map(({ id, host, process_id }) => ({ id, host, processId: process_id })),
    }
  })
}

interface ReportRow {
  readonly process_id: string
  readonly is_there: boolean
  readonly stage: IndexReport['stage'] | null
  readonly done: string
  readonly of: string
  readonly result: unknown
}

/** The reports of processes about a check, by their ids. `gone`: no signal any more, and not finished. */
export async function readReports(
  session: Session,
  { id, processes }: RequestedCheck,
): Promise<ReadonlyMap<string, IndexReport | 'gone' | null>> {
  const rows = await session.rows(sql<ReportRow>`
    select asked.process_id, r.stage, r.done, r.of, r.result,
           coalesce(p.seen_at >= ${now} - make_interval(secs => ${goneAfterSeconds}), false) as is_there
    from unnest(${processes.map((each) => each.id)}::uuid[]) as asked (process_id)
    left join docket_documents.process p on p.id = asked.process_id
    left join docket_documents.index_report r on r.check_id = ${id} and r.process_id = asked.process_id`)
  return new Map(rows.map((row) => [row.process_id, reportOf(row)]))
}

function reportOf({ is_there, stage, done, of, result }: ReportRow): IndexReport | 'gone' | null {
  switch (stage) {
    case 'done':
      return {
        stage,
        check: result as IndexCheck,
        vectors: (result as { readonly vectors: VectorCheck | null }).vectors,
      }
    case 'failed':
      return { stage, trouble: (result as { readonly trouble: string }).trouble }
    case null:
      return is_there ? null : 'gone'
    default:
      return is_there ? { stage, done: Number(done), of: Number(of) } : 'gone'
  }
}

/** Collection and doc_id by document id. Documents that were cleaned up have no name any more. */
export async function readDocumentNames(
  session: Session,
  documentIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await session.rows(sql<{ id: string; name: string; doc_id: string }>`
    select d.id, c.name, d.doc_id from docket_documents.document d
    join docket_documents.collection c on c.id = d.collection_id where d.id = any (${documentIds}::bigint[])`)
  return new Map(rows.map(({ id, name, doc_id }) => [Number(id), `${name}: ${doc_id}`]))
}
