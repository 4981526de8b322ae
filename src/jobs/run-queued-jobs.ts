import { Logger, type Runner, run, runMigrations } from 'graphile-worker'
import { openDriverPool } from '../database/pool-for-jobs.ts'

/**
 * Durable background work on the same PostgreSQL. A job is added by `docket_system.add_job` in the statement of the change
 * that requests it, so neither exists without the other; any process may run it, one at a time, again after a crash.
 */
export interface JobsOptions {
  readonly connectionString: string
  /** Jobs at once in this process. */
  readonly concurrency: number
  readonly observe: (observation: JobObservation) => void
}

export type JobObservation =
  | { readonly kind: 'job-failed'; readonly job: string; readonly attempt: number; readonly cause: string }
  | { readonly kind: 'job-runner-failed'; readonly cause: string }

/** What a job does. It may be called again for the same payload: after a crash nobody knows how far it had come. */
export type Job = (payload: unknown) => Promise<void>

export interface RunningJobs {
  /** Takes no new job and resolves when the running ones are done. */
  stop(): Promise<void>
}

/** @param jobs by the name that they are added under */
export async function runJobs(jobs: Readonly<Record<string, Job>>, options: JobsOptions): Promise<RunningJobs> {
  const { connectionString, concurrency, observe } = options
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') observe({ kind: 'job-runner-failed', cause: message })
  })
  const pgPool = openDriverPool({ connectionString, maxConnections: concurrency + 2, applicationName: 'docket jobs' })
  await runMigrations({ pgPool, logger })
  const runner: Runner = await run({
    pgPool,
    concurrency,
    logger,
    noHandleSignals: true,
    // A job is announced by a notification; this is for one whose announcement was lost with a connection.
    pollInterval: 2_000,
    taskList: Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, (payload) => job(payload)])),
  })
  runner.events.on('job:error', ({ job, error }) => {
    observe({ kind: 'job-failed', job: job.task_identifier, attempt: job.attempts, cause: String(error) })
  })
  // Stopping rejects this promise when the pool is already gone; nobody waits for it.
  runner.promise.catch((error: unknown) => observe({ kind: 'job-runner-failed', cause: String(error) }))
  return {
    async stop() {
      await runner.stop()
      await pgPool.end()
    },
  }
}
