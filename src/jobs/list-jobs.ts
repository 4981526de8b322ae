import type { Database } from '../database/database.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { leaseEnd } from './lease.ts'

export const JOB_KINDS = [
  'queue',
  'document_load',
  'chunking',
  'vectors',
  'followed_collection',
  'index_build',
  'webhook',
] as const
export const JOB_STATES = ['failed', 'running', 'waiting'] as const

/** Background work of one kind, in one state, for one thing such as a collection. */
export interface JobGroup {
  readonly kind: (typeof JOB_KINDS)[number]
  readonly state: (typeof JOB_STATES)[number]
  /** Of the collection, the webhook, the columns of the index or the task of the queue. */
  readonly name: string
  readonly count: number
  /** UTC, of the oldest; null: not recorded. */
  readonly since: string | null
  /** Of the one that failed last: why. */
  readonly error: string | null
  /** The same for a load of a document. */
  readonly problem: Problem | null
  /** The records that have more; null: no table has them. */
  readonly table: string | null
  readonly query: string | null
}

/** Maximum groups of a response: there may be many collections. */
const MAX_GROUPS = 200

/** Background work that runs, waits or has failed. Work that is done is not listed. Failed work comes first. */
export async function listJobs(database: Database): Promise<readonly JobGroup[]> {
  const groups = [
    ...(await database.rows(ofQueue(await hasQueue(database)))),
    ...(await database.rows(ofLoads)),
    ...(await database.rows(ofChunking)),
    ...(await database.rows(ofVectors)),
    ...(await database.rows(ofFollows)),
    ...(await database.rows(ofIndexes)),
    ...(await database.rows(ofWebhooks)),
  ]
  return groups
    .toSorted((one, other) => JOB_STATES.indexOf(one.state) - JOB_STATES.indexOf(other.state))
    .slice(0, MAX_GROUPS)
}

/** The first server that runs creates the tables of the queue. */
async function hasQueue(database: Database): Promise<boolean> {
  const [found] = await database.rows(sql<{ is_there: boolean }>`
    select to_regclass('graphile_worker.jobs') is not null as is_there`)
  return found?.is_there === true
}

const COUNT = sql`count(*)::integer as count`
const utc = (time: Sql<unknown>): Sql<unknown> => sql`to_char(${time}, 'YYYY-MM-DD HH24:MI:SS') as since`
const NO_RECORDS = sql`null as "table", null as query`

const ofQueue = (isThere: boolean): Sql<JobGroup> =>
  isThere
    ? sql<JobGroup>`
      select 'queue' as kind, state, task_identifier as name, ${COUNT}, ${utc(sql`min(created_at) at time zone 'UTC'`)},
        max(last_error) as error, null as problem, ${NO_RECORDS}
      from (select j.task_identifier, j.created_at, j.last_error, case when j.locked_at is not null then 'running'
              when j.attempts >= j.max_attempts then 'failed' else 'waiting' end as state
            from graphile_worker.jobs as j) as j
      group by state, name order by name`
    : sql<JobGroup>`select null where false`

/** A failed load counts until a later one of the same document succeeds. */
const ofLoads = sql<JobGroup>`
  select 'document_load' as kind, state, name, ${COUNT}, ${utc(sql`min(asked_at)`)}, null as error,
    (array_agg(problem order by id desc) filter (where state = 'failed'))[1] as problem, ${NO_RECORDS}
  from (select l.id, l.asked_at, l.problem, c.name,
          case l.state when 'failed' then 'failed' when 'queued' then 'waiting' else 'running' end as state
        from (select distinct on (collection_id, doc_id) * from docket_documents.load order by collection_id, doc_id, id desc) as l
        join docket_documents.collection as c on c.id = l.collection_id and c.removed_position is null
        where l.state <> 'ready') as l
  group by state, name order by name`

/** Documents whose collection got another size of chunks. */
const ofChunking = sql<JobGroup>`
  select 'chunking' as kind, state, name, ${COUNT}, null as since, max(trouble) as error, null as problem, ${NO_RECORDS}
  from (select c.name, r.trouble, case when r.trouble is not null then 'failed' when ${isLeased('r')} then 'running' else 'waiting' end as state
        from docket_documents.rechunk as r
        join docket_documents.document as d on d.id = r.document_id and d.removed_position is null
        join docket_documents.collection as c on c.id = d.collection_id and c.removed_position is null) as r
  group by state, name order by name`

const ofVectors = sql<JobGroup>`
  select 'vectors' as kind, state, name, ${COUNT}, null as since, max(trouble) as error, null as problem, ${NO_RECORDS}
  from (select c.name, e.trouble, case when e.trouble is not null then 'failed' when ${isLeased('e')} then 'running' else 'waiting' end as state
        from docket_documents.document_embedding as e
        join docket_documents.document as d on d.id = e.document_id and d.removed_position is null
        join docket_documents.collection as c on c.id = d.collection_id and c.removed_position is null
        where (e.position is null and e.trouble is null) or e.trouble is not null) as e
  group by state, name order by name`

const ofFollows = sql<JobGroup>`
  select 'followed_collection' as kind, case when f.error is null then 'running' else 'failed' end as state, c.name,
    1 as count, ${utc(sql`f.updated_at`)}, f.error, null as problem, ${NO_RECORDS}
  from docket_documents.follow as f
  join docket_documents.collection as c on c.id = f.collection_id and c.removed_position is null
  where f.error is not null or f.rebuild is not null order by c.name`

const ofIndexes = sql<JobGroup>`
  select 'index_build' as kind, case i.state when 'failed' then 'failed' else 'waiting' end as state,
    t.name || ' (' || array_to_string(i.column_names, ', ') || ')' as name, 1 as count, ${utc(sql`i.sys_created_at`)}, i.error,
    null as problem, 'sys_db_index' as "table", 'sys_id=' || i.sys_id as query
  from docket.sys_db_index as i join docket.sys_db_table as t on t.sys_id = i.table_id
  where i.state <> 'ready' order by i.sys_id`

/** Deliveries that were given up, and those that wait for another attempt after a failed one. */
const ofWebhooks = sql<JobGroup>`
  select 'webhook' as kind, state, name, ${COUNT}, ${utc(sql`min(sys_created_at)`)}, (array_agg(error order by "position" desc))[1] as error,
    null as problem, 'sys_webhook_delivery' as "table", 'webhook=' || webhook || '^state=' || stored || '^ORDERBYDESCsys_created_at' as query
  from (select d.webhook, w.name, d.sys_created_at, d.error, d."position", d.state as stored,
          case d.state when 'dead' then 'failed' else 'waiting' end as state
        from docket.sys_webhook_delivery as d join docket.sys_webhook as w on w.sys_id = d.webhook
        where d.state = 'dead' or (d.state = 'pending' and d.attempts > 0)) as d
  group by state, stored, webhook, name order by name`

function isLeased(alias: string): Sql<unknown> {
  return sql`coalesce(${leaseEnd(alias)} > clock_timestamp() at time zone 'UTC', false)`
}
