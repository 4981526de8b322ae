import { databaseFailureOf } from '../database/database-failure.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { UpstreamError } from '../kernel/upstream-error.ts'

/** What ended a command, if its user can fix that; null: a bug of Docket, which is printed with its stack. */
export function describeFailure(error: unknown): string | null {
  if (error instanceof StartFailure) return error.message
  if (error instanceof UpstreamError) return `The command has stopped: ${error.message}.`
  const full = fullDiskOf(error)
  return full === null ? null : `${full}. Make room, then run the command again.`
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function fullDiskOf(error: unknown): string | null {
  const failure = databaseFailureOf(error)
  // The disk is full.
  if (failure?.code === '53100') return `The disk of the database is full (${failure.message})`
  const isFull = error instanceof Error && 'code' in error && FULL.has(String(error.code))
  return isFull ? `The disk is full, or a file is larger than the system allows (${error.message})` : null
}
