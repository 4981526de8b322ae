import type { AttachmentStore } from '../attachments/keep-files.ts'
import { removeUnusedFiles } from '../attachments/remove-unused-files.ts'
import type { Database, Session } from '../database/database.ts'
import { sql } from '../kernel/sql.ts'
import { type DemoDocuments, findDemoDocuments, removeDemoDocuments } from './demo-documents.ts'
import { resetDeskColumns } from './desk-columns.ts'
import {
  type BlockingReference,
  collectDemoRows,
  countDemoRows,
  demoTables,
  findBlockingReferences,
} from './find-demo-rows.ts'

export interface DemoContents {
  /** Rows by table with its schema. */
  readonly rows: Readonly<Record<string, number>>
  readonly documents: DemoDocuments
  /** References from rows that do not belong to the demo; if there is one, nothing is removed. */
  readonly blocking: readonly BlockingReference[]
}

/** @returns what `removeDemoDesk` would remove; undefined if there is no demo */
export function surveyDemoDesk(database: Database): Promise<DemoContents | undefined> {
  return database.inTransaction(survey)
}

/**
 * Removes the demo desk with all its dependent rows, in one transaction. Does nothing if a row outside the demo refers to one
 * of its rows. Numbers stay used: the next ticket continues the numbering.
 *
 * @returns what it removed, or would have removed if nothing were blocking; undefined if there is no demo
 */
export async function removeDemoDesk(
  database: Database,
  { store, now }: { readonly store: AttachmentStore; readonly now: Date },
): Promise<DemoContents | undefined> {
  const outcome = await database.inTransaction(async (session) => {
    const contents = await survey(session)
    if (contents === undefined || contents.blocking.length > 0) return { contents, hashes: [] }
    const hashes = await session.rows<{ readonly hash: string }>(sql`
      select distinct hash from docket.sys_attachment where sys_id in (select sys_id from demo_row) and hash is not null`)
    await removeDemoDocuments(session, contents.documents, now)
    await removeRows(session)
    return { contents, hashes: hashes.map(({ hash }) => hash) }
  })
  await removeUnusedFiles(database, store.blobs, outcome.hashes)
  return outcome.contents
}

async function survey(session: Session): Promise<DemoContents | undefined> {
  const [recorded] = await session.rows(sql`select from docket_system.demo_record limit 1`)
  if (recorded === undefined) return undefined
  await collectDemoRows(session)
  return {
    rows: await countDemoRows(session),
    documents: await findDemoDocuments(session),
    blocking: await findBlockingReferences(session),
  }
}

/** One statement, because rows refer to each other in cycles: PostgreSQL checks foreign keys at its end. */
async function removeRows(session: Session): Promise<void> {
  const tables = await demoTables(session)
  const deletes = tables.map(
    (table, at) =>
      sql`${sql.ref(`gone_${at}`)} as (delete from ${sql.ref(table)} where sys_id in (select sys_id from demo_row) returning sys_id)`,
  )
  if (deletes.length > 0) await session.rows(sql`with ${sql.join(deletes)} select from gone_0`)
  await session.rows(sql`delete from docket_system.change where record_id in (select sys_id::text from demo_row)`)
  await resetDeskColumns(session)
  await session.rows(sql`delete from docket_system.demo_record`)
  await session.rows(sql`update docket_system.setup_step set outcome = 'removed' where name = 'demo'`)
}
