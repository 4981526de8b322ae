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
  const [has] = await connection.rows(sql<{ documents: boolean; log: boolean; histories: boolean }>`
    select to_regclass('docket_documents.change_log') is not null as documents, to_regclass('docket_system.change_position') is not null as log,
      to_regclass('docket_system.database_history') is not null as histories`)
  if (has?.documents) await connection.execute('update docket_documents.change_log set database_id = gen_random_uuid()')
  if (has?.log)
    await connection.rows(sql`
      select setval('docket_system.change_position', p.last_value + s.seqincrement * ${sql.lit(skippedChanges)}, true)
      from docket_system.change_position p, pg_sequence s where s.seqrelid = 'docket_system.change_position'::regclass`)
  if (has?.histories) await beginHistory(connection)
}

/**
 * What the original did after the backup is a lost history of the copy (docs/decisions/0026): readers of events who received some of it begin
 * anew. A server that restores a copy of its own data would not notice it.
 */
async function beginHistory(connection: CopyConnection): Promise<void> {
  await connection.execute(`
    insert into docket_system.database_history (number, server, fork_position, first_position)
    select h.number + 1, h.server, greatest(499999999999999999, (select max(c.position) from docket_system.change c),
      (select z.cleared_position from docket_system.change_horizon z)), (select p.last_value from docket_system.change_position p)
    from docket_system.database_history h order by h.number desc limit 1;
    update docket_system.webhook w set position = h.first_position from docket_system.database_history h
    where w.position > h.fork_position and h.number = (select max(n.number) from docket_system.database_history n)`)
}
