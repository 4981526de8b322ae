import type { Table } from '../catalog/catalog.ts'
import { LOCK_SPACES } from '../database/advisory-locks.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import type { ImportJobDeps } from './import-job.ts'

/**
 * Runs imports with a key one after another for each table, across all processes, a chunk of rows at a time. If two imports
 * contain the same new record, one creates it and the other finds it, whether or not an index enforces the key.
 *
 * A create that is not part of an import has no key and does not wait. If its record has the same key, it is one more record, as
 * if it came after the import.
 *
 * The lock is on the table of the whole hierarchy, because a record of a child has the key of its parent.
 *
 * @param mutex runs one at a time: the lock holds a connection while other connections write the rows, and several locks
 *   could use up all connections
 */
export function exclusiveImports(
  database: Database,
  mutex: RecordDeps['dictionaryMutex'],
): ImportJobDeps['runExclusive'] {
  return async <T>({ storage }: Table, work: () => Promise<T>): Promise<T> => {
    const name = `${storage.schema}.${storage.table}`
    const done = await mutex(() =>
      database.inTransaction(async (session) => {
        await session.rows(sql`select pg_advisory_xact_lock(${LOCK_SPACES.keyedImports}, hashtext(${name}))`)
        return { value: await work() }
      }),
    )
    if (done === undefined) throw new Error('a queue without an end was full')
    return done.value
  }
}
