import { StartFailure } from '../../kernel/start-failure.ts'

interface Circumstances {
  /** The step that failed, as the beginning of a sentence. */
  readonly doing: string
  /** `postgres` inside the data directory. */
  readonly directory: string
  /** File with the whole output. */
  readonly logFile?: string
}

interface Known {
  readonly pattern: RegExp
  readonly sentence: (at: { readonly directory: string; readonly found: RegExpMatchArray }) => string
}

/** PostgreSQL's messages (LC_ALL is C), and what the person who started Docket can do. */
const known: readonly Known[] = [
  {
    pattern: /No space left on device|Disk quota exceeded|Check free disk space/,
    sentence: ({ directory }) =>
      `There is no space left on the disk that holds ${directory}: free some, or set DOCKET_DATA_DIR to a folder on another disk.`,
  },
  {
    pattern: /initialized by PostgreSQL version (\S+),.*not compatible with this version (\S+)/,
    sentence: ({ directory, found }) => wrongVersionSentence(directory, found[1] ?? '?'),
  },
  {
    pattern: /Read-only file system/,
    sentence: ({ directory }) =>
      `${directory} lies on a read-only file system: set DOCKET_DATA_DIR to a folder that can be written.`,
  },
  {
    pattern: /could not look up effective user ID (\d+)/,
    sentence: ({ found }) =>
      `PostgreSQL needs a name for the user number ${found[1]} that Docket runs as: add a line for it to /etc/passwd, start Docket as another user, or set DOCKET_DATABASE_URL.`,
  },
  {
    pattern: /Cannot allocate memory|could not map anonymous shared memory/,
    sentence: () =>
      'There is not enough free memory for PostgreSQL (about 300 MB): free some, or set DOCKET_DATABASE_URL.',
  },
]

export function wrongVersionSentence(directory: string, version: string): string {
  return `${directory} was made by PostgreSQL ${version}, but this Docket brings PostgreSQL 18: write a backup with the Docket that made it (docket backup FILE), then run docket restore FILE with this one and a new DOCKET_DATA_DIR.`
}

/** Converts PostgreSQL's output before a failure to one sentence with instructions; unknown errors are quoted. */
export function explainPostgresOutput(output: string, { doing, directory, logFile }: Circumstances): StartFailure {
  for (const { pattern, sentence } of known) {
    const found = output.match(pattern)
    if (found !== null) return new StartFailure(sentence({ directory, found }))
  }
  const where = logFile === undefined ? '' : ` (all of it: ${logFile})`
  return new StartFailure(`${doing}: ${quoteError(output)}${where}.`)
}

/** The first line with an error, without its time and process id; later errors are mostly consequences. */
function quoteError(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter((line) => /(FATAL|PANIC|error):/.test(line) && !/the database system is/.test(line))
  const error = errors[0] ?? lines.at(-1) ?? 'it said nothing'
  return error.replace(/^.*?(FATAL|PANIC|error):\s*/, '').trim()
}
