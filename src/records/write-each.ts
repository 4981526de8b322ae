import type { Table } from '../catalog/catalog.ts'
import { readSysId } from '../column-types/record-key.ts'
import type { Session } from '../database/database.ts'
import type { Problem } from '../kernel/problem.ts'
import { sql } from '../kernel/sql.ts'
import { storageOf } from './sql/adopted-storage.ts'
import { Row } from './sql/from-clause.ts'

/**
 * Writes the record with this sys_id.
 *
 * @param undo returns to the state before the write, also after a database error; only for deletes and dry runs
 * @returns why the record was not written; null: it was written
 */
export type OneWrite = (sysId: string, undo: () => Promise<unknown>) => Promise<Problem | null>

interface Writes {
  readonly write: OneWrite
  readonly isDelete: boolean
  /** Continues after a record that cannot be written. */
  readonly isDry: boolean
  readonly table: Table
}

/** Each pass deletes the records that nothing refers to any more. A chain takes two: the order is reversed in between. */
const MAX_PASSES = 20

/**
 * Writes records one by one. Records that are deleted together may refer to each other, so one that is still referenced is retried
 * after the others.
 *
 * @returns why records were not written. Without `isDry` it may stop at the first one, and the caller must roll back
 */
export async function writeEach(session: Session, ids: readonly string[], writes: Writes): Promise<readonly Problem[]> {
  const failures: Problem[] = []
  let left = writes.isDelete ? ids.toReversed() : ids
  for (let pass = 1; ; pass += 1) {
    const blocked: { readonly id: string; readonly problem: Problem }[] = []
    for (const id of left) {
      const problem = await writeOne(session, id, writes)
      if (problem === null) continue
      if (writes.isDelete && problem.kind === 'still-referenced') blocked.push({ id, problem })
      else if (writes.isDry) failures.push(problem)
      else return [problem]
    }
    if (blocked.length === 0 || blocked.length === left.length || pass === MAX_PASSES)
      return [...failures, ...blocked.map(({ problem }) => problem)]
    left = blocked.map(({ id }) => id).toReversed()
  }
}

/** An error aborts the transaction in PostgreSQL, so deletes and dry runs have a savepoint for each record. */
async function writeOne(session: Session, id: string, writes: Writes): Promise<Problem | null> {
  if (!writes.isDry && !writes.isDelete) return writes.write(id, noUndo)
  await session.rows(sql`savepoint one_record`)
  const undo = () => session.rows(sql`rollback to savepoint one_record`)
  const problem = await writes.write(id, undo)
  if (problem !== null) await undo()
  await session.rows(sql`release savepoint one_record`)
  return problem?.kind === 'record-not-found' && (await isGone(session, id, writes)) ? null : problem
}

async function noUndo(): Promise<never> {
  throw new Error('this write has no savepoint')
}

/** The record was locked, so only another delete of the same request can have deleted it. */
async function isGone(session: Session, id: string, { isDelete, table }: Writes): Promise<boolean> {
  if (!isDelete) return false
  const row = new Row('d', table)
  const rows = await session.rows(
    sql`select from ${storageOf(table)} as d where ${row.isRequested(sql`${readSysId(id, table.key)}`)}`,
  )
  return rows.length === 0
}
