import { unreachable } from '../kernel/unreachable.ts'
import type { Observation } from './observation.ts'

export interface Description {
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  /** One line for people; the details are in the observation itself. */
  readonly message: string
}

const info = (message: string): Description => ({ level: 'info', message })
const debug = (message: string): Description => ({ level: 'debug', message })
const warn = (message: string): Description => ({ level: 'warn', message })

export function describeObservation(seen: Observation): Description {
  switch (seen.kind) {
    case 'data-directory-closed':
      return warn(`other accounts could enter ${seen.directory} (mode ${seen.mode}); its mode is 700 now`)
    case 'database-created':
      return debug(`created a PostgreSQL data directory in ${seen.directory} (${seen.tookMs} ms)`)
    case 'left-behind-database-stopped':
      return warn(
        `stopped PostgreSQL process ${seen.processId}, which a killed Docket had left behind (${seen.tookMs} ms)`,
      )
    case 'database-started':
      return debug(`PostgreSQL ${seen.version} accepts connections (${seen.tookMs} ms)`)
    case 'database-died':
      return {
        level: 'error',
        message: `PostgreSQL ended unexpectedly (${seen.signal ?? seen.exitCode}); starting it again`,
      }
    case 'character-type-changed':
      return info(
        `the database has the character type ${seen.characterType} now; indexes for full-text search and for parts of texts are rebuilt`,
      )
    case 'character-type-kept':
      return warn(
        `the database keeps the character type C (${seen.reason}): conditions on parts of texts that are not Latin read all rows`,
      )
    case 'database-stopped':
      return debug(`PostgreSQL has stopped (${seen.tookMs} ms)`)
    case 'first-start':
      return info('first start: creating the database, which takes some seconds')
    case 'schema-upgraded':
      return info(
        `upgraded the schema from ${seen.from} to ${seen.to} (migrations: ${seen.migrations}, ${seen.tookMs} ms)`,
      )
    case 'migration-applied':
      return debug(`applied migration ${seen.name} (${seen.tookMs} ms)`)
    case 'functions-applied':
      return debug(`replaced functions of the database: ${seen.names.join(', ')}`)
    case 'demo-filled':
      return debug(`filled the database with the demo service desk (${seen.tookMs} ms)`)
    case 'listening':
      return debug(`serving ${seen.address} (${seen.tookMs} ms after the start)`)
    case 'stopping':
      return info(`stopping: ${seen.reason}`)
    case 'requests-cut':
      return warn(`cut requests that were still running after ${seen.afterMs} ms`)
    case 'stopped':
      return info(`stopped (${seen.tookMs} ms)`)
    case 'worker-died':
      return {
        level: 'error',
        message: `worker process ${seen.processId} ended (${seen.how}); the next starts in ${seen.nextInMs} ms`,
      }
    case 'search-process-died':
      return {
        level: 'error',
        message: `search process ${seen.processId} ended (${seen.how}); the next starts in ${seen.nextInMs} ms`,
      }
    case 'job-failed':
      return warn(`attempt ${seen.attempt} of the job ${seen.job} failed: ${seen.cause}`)
    case 'job-runner-failed':
      return { level: 'error', message: `the job runner failed: ${seen.cause}` }
    case 'documents-failed':
      return { level: 'error', message: `work on documents failed and is retried: ${textOfError(seen.error)}` }
    case 'attachments-failed':
      return { level: 'error', message: `work on files of records failed: ${textOfError(seen.error)}` }
    case 'list-not-painted':
      return {
        level: 'error',
        message: `a page of the console was sent without its list, which could not be rendered: ${textOfError(seen.error)}`,
      }
    case 'follow-repaired':
      return warn(`a comparison repaired ${seen.documents} documents of the followed collection ${seen.collection}`)
    case 'history-removed':
      return info(
        `removed ${seen.changes} changes from before ${seen.before} from history and deletion log; exported them to ${seen.files} files (${seen.bytes} bytes)`,
      )
    case 'examination-failed':
      return { level: 'error', message: `the checks of docket doctor could not run: ${textOfError(seen.error)}` }
    case 'denials-not-stored':
      return { level: 'error', message: `denied requests could not be stored: ${textOfError(seen.error)}` }
    case 'history-removal-failed':
      return {
        level: 'error',
        message: `old history could not be removed and is kept for now: ${textOfError(seen.error)}`,
      }
    case 'webhook-missed-changes':
      return warn(
        `the webhook ${seen.webhook} had not read changes that are no longer kept (events.keep_days, history.keep_days); its receiver should read the records again`,
      )
    case 'webhooks-failed':
      return { level: 'error', message: `work on webhooks failed and is retried: ${textOfError(seen.error)}` }
    case 'request-finished':
      return {
        level: 'debug',
        message: `${seen.method} ${seen.route} ${seen.status} (${seen.tookMs.toFixed(1)} ms)`,
      }
    case 'request-failed':
      return {
        level: 'error',
        message: `request ${seen.requestId} to ${seen.route} failed: ${textOfError(seen.error)}`,
      }
    case 'request-put-off':
      return warn(`request ${seen.requestId} to ${seen.route} was postponed: ${seen.cause}`)
    case 'history-changed':
      return warn(
        'another server is the primary of this database now, or an earlier state was restored: indexes are compared with it, and what an asynchronous standby lacked is lost',
      )
    case 'console-built':
      return { level: 'info', message: `built the console in ${(seen.tookMs / 1_000).toFixed(1)} s` }
    case 'console-build-failed':
      return { level: 'error', message: `the console could not be built; the API is not affected: ${seen.detail}` }
    case 'file-stores-differ':
      return warn(
        'another server of this database does not share the file store of this one: files that one received cannot be read from the other. Give all servers one object store (DOCKET_S3_ENDPOINT), or one folder as DOCKET_DATA_DIR',
      )
    case 'forwarding-ignored':
      return warn(
        `ignored X-Forwarded-For from ${seen.address}: if it is a proxy of yours, name it in DOCKET_TRUSTED_PROXIES; until then all callers behind it count as one address`,
      )
    default:
      return unreachable(seen)
  }
}

function textOfError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
