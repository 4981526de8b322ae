import { StartFailure } from '../kernel/start-failure.ts'

/** Errors of the machine during a start, by system error or SQLSTATE, with instructions. */
const sentences: Readonly<Record<string, string>> = {
  ENOSPC:
    'There is no space left on the disk of the data directory: free some, or set DOCKET_DATA_DIR to another disk.',
  EDQUOT: 'The disk quota of this account is used up: free some space, or set DOCKET_DATA_DIR to another disk.',
  EROFS: 'The data directory lies on a read-only file system: set DOCKET_DATA_DIR to a folder that can be written.',
  EMFILE: 'This process may not open more files: raise the limit (ulimit -n) to 1024 or more.',
  '53100': 'The database has no space left on its disk: free some and start again.',
  '53300': 'The database takes no more connections: raise its max_connections, or lower DOCKET_DATABASE_POOL.',
  '25006': 'The database is read-only: name its primary server in DOCKET_DATABASE_URL.',
}

export function explainStartError(error: unknown): unknown {
  if (error instanceof StartFailure || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const sentence = sentences[code]
  if (sentence !== undefined) return new StartFailure(sentence, { cause: error })
  // An error that wraps another one, such as that of a failed migration, is explained by its cause.
  const inner = error.cause === undefined ? undefined : explainStartError(error.cause)
  return inner instanceof StartFailure ? inner : error
}
