import { readFileSync } from 'node:fs'
import { type Database, openDatabase } from '../../../src/database/database.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { createRecordDeps, type RecordDeps } from '../../../src/records/record-deps.ts'
import type { BenchDatabase } from '../servers.ts'
import { buildLayout } from './build-layout.ts'
import type { Layout } from './layout.ts'

/** A copy of the seeded database in one layout. */
export interface Side {
  readonly layout: Layout
  /** One connection, so that its CPU is known. No jobs run: they would build removed indexes again. */
  readonly database: Database
  readonly deps: RecordDeps
  /** The CPU time of PostgreSQL's process of the connection, in microseconds. */
  cpuUs(): Promise<number>
}

export async function makeSide(copy: BenchDatabase, layout: Layout, started: AsyncDisposableStack): Promise<Side> {
  const database = openDatabase({
    connectionString: copy.connectionString,
    maxConnections: 1,
    statementTimeoutMs: 0,
  })
  started.defer(() => database.close())
  await buildLayout(database, layout)
  return {
    layout,
    database,
    deps: createRecordDeps({ database, clock: systemClock }),
    async cpuUs() {
      const [row] = await database.rows<{ id: number }>(sql`select pg_backend_pid() as id`)
      return Number(readFileSync(`/proc/${row?.id}/schedstat`, 'latin1').split(' ')[0]) / 1_000
    },
  }
}
