import type { Database } from '../../database/database.ts'
import { leaseEnd } from '../../jobs/lease.ts'
import { countOf } from '../../kernel/count-of.ts'
import { sql } from '../../kernel/sql.ts'
import { type Check, type DatabaseGround, type Finding, listNames } from '../check.ts'

/** Background work that was given up, or that nobody takes up. */
export const checkJobs: Check<DatabaseGround> = {
  name: 'jobs',
  async run({ database, limits }) {
    const jobs = await readJobs(database)
    const dead = jobs.filter(({ is_dead }) => is_dead)
    const stale = await readStaleLoads(database, limits.staleMs)
    return {
      summary: countOf(jobs.length, 'job waits', 'jobs wait'),
      findings: [...(dead.length === 0 ? [] : [deadJobs(dead)]), ...(stale.length === 0 ? [] : [staleLeases(stale)])],
    }
  },
}

interface JobRow {
  readonly id: string
  readonly task: string
  readonly attempts: number
  readonly is_dead: boolean
}

/** The tables of the job queue are made by the first server that runs. */
async function readJobs(database: Database): Promise<readonly JobRow[]> {
  const [found] = await database.rows(sql<{ is_there: boolean }>`
    select to_regclass('graphile_worker.jobs') is not null as is_there`)
  if (found?.is_there !== true) return []
  return database.rows(sql<JobRow>`
    select id::text, task_identifier as task, attempts, (attempts >= max_attempts and locked_at is null) as is_dead
    from graphile_worker.jobs order by id`)
}

function deadJobs(dead: readonly JobRow[]): Finding {
  return {
    fault: 'job-dead',
    what: countOf(
      dead.length,
      'job failed at every attempt and will not run again',
      'jobs failed at every attempt and will not run again',
    ),
    where: listNames(dead.map(({ id, task, attempts }) => `${task} (job ${id}, ${attempts} attempts)`)),
    cure: `see "job failed" in the log of the server; then, in the database: select graphile_worker.reschedule_jobs(array[${dead.map(({ id }) => id).join(', ')}], attempts := 0)`,
  }
}

/** Loads whose lease ran out, or that wait, for longer than a running server ever leaves them. */
function readStaleLoads(database: Database, staleMs: number): Promise<readonly { readonly name: string }[]> {
  return database.rows(sql<{ name: string }>`
    select c.name || ': ' || l.doc_id as name
    from docket_documents.load l join docket_documents.collection c on c.id = l.collection_id
    where l.state in ('queued', 'extracting', 'indexing')
      and greatest(l.asked_at, ${leaseEnd('l')}, l.not_before)
          < (clock_timestamp() at time zone 'UTC') - make_interval(secs => ${staleMs / 1_000})
    order by l.id`)
}

function staleLeases(stale: readonly { readonly name: string }[]): Finding {
  return {
    fault: 'lease-stale',
    what: countOf(
      stale.length,
      'load of documents began or waits, and no server takes it up',
      'loads of documents began or wait, and no server takes them up',
    ),
    where: listNames(stale.map(({ name }) => name)),
    cure: 'start a server of this database (docket start); where one runs, restart it',
  }
}
