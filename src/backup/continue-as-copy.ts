import type { CopyConnection } from '../database/copy-connection.ts'
import { sql } from '../kernel/sql.ts'
import type { Manifest } from './manifest.ts'

export async function setSequences(connection: CopyConnection, sequences: Manifest['sequences']): Promise<void> {
  for (const { name, lastValue, isCalled } of sequences)
    await connection.rows(sql`select setval(${name}::regclass, ${lastValue}::bigint, ${isCalled})`)
}

/** How many sequence numbers of the change log the original may have used after the backup: ten million, of five billion in total. */
const skippedChanges = 10_000_000

/**
 * Separates the copy from its original. The original may have continued after the backup: its events were delivered with ids that the copy
 * must not give to other changes, and saved search indexes contain changes that the copy does not have.
 */
export async function continueAsCopy(connection: CopyConnection): Promise<void> {
  const [has] = await connection.rows(sql<{ documents: boolean; log: boolean }>`
    select to_regclass('docket_documents.change_log') is not null as documents, to_regclass('docket_system.change_position') is not null as log`)
  if (has?.documents) await connection.execute('update docket_documents.change_log set database_id = gen_random_uuid()')
  if (has?.log)
    await connection.rows(sql`
      select setval('docket_system.change_position', p.last_value + s.seqincrement * ${sql.lit(skippedChanges)}, true)
      from docket_system.change_position p, pg_sequence s where s.seqrelid = 'docket_system.change_position'::regclass`)
}
