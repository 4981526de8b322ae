import { expect, test } from 'vitest'
import { explainPostgresOutput } from './explain-postgres-output.ts'

const explain = (output: string) =>
  explainPostgresOutput(output, {
    doing: 'PostgreSQL did not start',
    directory: '/srv/data/postgres',
    logFile: '/srv/data/postgres/postgres.log',
  })

const stated: readonly { readonly output: string; readonly sentence: string }[] = [
  {
    output: `2026-01-01 00:00:00.000 UTC [7] FATAL:  could not write lock file "postmaster.pid": No space left on device`,
    sentence:
      'There is no space left on the disk that holds /srv/data/postgres: free some, or set DOCKET_DATA_DIR to a folder on another disk.',
  },
  {
    output: `2026-01-01 00:00:00.000 UTC [7] FATAL:  database files are incompatible with server
2026-01-01 00:00:00.000 UTC [7] DETAIL:  The data directory was initialized by PostgreSQL version 17, which is not compatible with this version 18.4.`,
    sentence:
      '/srv/data/postgres was made by PostgreSQL 17, but this Docket brings PostgreSQL 18: write a backup with the Docket that made it (docket backup FILE), then run docket restore FILE with this one and a new DOCKET_DATA_DIR.',
  },
  {
    output: 'initdb: error: could not look up effective user ID 1000660000: user does not exist',
    sentence:
      'PostgreSQL needs a name for the user number 1000660000 that Docket runs as: add a line for it to /etc/passwd, start Docket as another user, or set DOCKET_DATABASE_URL.',
  },
  {
    output: `2026-01-01 00:00:00.000 UTC [7] FATAL:  could not map anonymous shared memory: Cannot allocate memory
2026-01-01 00:00:00.000 UTC [7] HINT:  This error usually means …`,
    sentence: 'There is not enough free memory for PostgreSQL (about 300 MB): free some, or set DOCKET_DATABASE_URL.',
  },
  {
    output: `2026-01-01 00:00:00.000 UTC [9] FATAL:  the database system is starting up
2026-01-01 00:00:00.000 UTC [8] PANIC:  could not locate a valid checkpoint record at 0/174B340
2026-01-01 00:00:00.000 UTC [7] LOG:  startup process (PID 8) was terminated by signal 6: Aborted
2026-01-01 00:00:00.000 UTC [7] LOG:  database system is shut down`,
    sentence:
      'PostgreSQL did not start: could not locate a valid checkpoint record at 0/174B340 (all of it: /srv/data/postgres/postgres.log).',
  },
  {
    output: '',
    sentence: 'PostgreSQL did not start: it said nothing (all of it: /srv/data/postgres/postgres.log).',
  },
]

test.each(stated)('what PostgreSQL says becomes one sentence: $sentence', ({ output, sentence }) => {
  expect(explain(output).message).toBe(sentence)
})
