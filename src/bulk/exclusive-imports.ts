import { sql } from 'kysely'
import type { Table } from '../catalog/catalog.ts'
import { LOCK_SPACES } from '../database/advisory-locks.ts'
import type { Database } from '../database/database.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import type { ImportMeans } from './import-job.ts'

/**
 * Lets one import with a key after the other into a table, in all processes, a chunk of rows at a time. Of two that bring the
 * same new record one makes it and the other finds it, whether or not an index holds the key unique.
 *
 * Whoever creates a record in another way than by an import says nothing of a key, and is not held up: a record of theirs
 * that has the same key is one more, as it would be had it come after the import.
 *
 * The lock is of the table that holds the whole hierarchy: a child's record has its parent's key.
 *
 * @param runExclusive lets one through at a time: the lock keeps a connection while the rows are written on others, and more than one
 *   of these could keep all there are
 */
export function exclusiveImports(
  database: Database,
  runExclusive: RecordDeps['dictionaryMutex'],
): ImportMeans['alone'] {
  return async <T>({ storage }: Table, work: () => Promise<T>): Promise<T> => {
    const name = `${storage.schema}.${storage.table}`
    const done = await runExclusive(() =>
      database.inTransaction(async (session) => {
        await session.rows(sql`select pg_advisory_xact_lock(${LOCK_SPACES.keyedImports}, hashtext(${name}))`)
        return { value: await work() }
      }),
    )
    if (done === undefined) throw new Error('a queue without an end was full')
    return done.value
  }
}
