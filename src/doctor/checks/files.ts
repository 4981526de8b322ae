import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { objectStoreOf } from '../../config/object-store-of.ts'
import type { Database } from '../../database/database.ts'
import { documentFolders } from '../../documents/document-folders.ts'
import {
  compareFiles,
  type FileCheck,
  type FileDifference,
  type FileNeeds,
  verifyFiles,
} from '../../documents/maintenance/verify-files.ts'
import type { BlobStore } from '../../documents/store/blob-store.ts'
import { openBlobStore } from '../../documents/store/open-blob-store.ts'
import { countOf } from '../../kernel/count-of.ts'
import { sql } from '../../kernel/sql.ts'
import { type Check, type DatabaseGround, type Finding, listNames } from '../check.ts'
import type { FaultName } from '../faults.ts'

/** Files of documents. */
export const checkDocumentFiles: Check<DatabaseGround> = {
  name: 'files of documents',
  async run(ground) {
    const check = await verifyFiles(ground.database, optionsOf(ground, 'fileFolder', ''))
    return examined(check, { ground, orphans: 'docket documents verify --remove-orphans' })
  },
}

/** Files of records. */
export const checkAttachments: Check<DatabaseGround> = {
  name: 'files of records',
  async run(ground) {
    const options = optionsOf(ground, 'attachmentFolder', 'attachments/')
    const check = await compareFiles(needsOfAttachments(ground.database), options)
    return examined(check, { ground, orphans: 'remove these files: no record names them' })
  },
}

function optionsOf(ground: DatabaseGround, folder: 'fileFolder' | 'attachmentFolder', prefix: string) {
  const { limits, clock, isThorough } = ground
  return {
    blobs: openStore(ground, folder, prefix),
    readsBytes: isThorough,
    orphanedBefore: new Date(clock.nowMs() - limits.orphanMs),
    onProgress: () => undefined,
  }
}

/** As servers open it, but without creating its folder: an absent one holds no file. */
function openStore({ settings, clock }: DatabaseGround, folder: 'fileFolder' | 'attachmentFolder', prefix: string) {
  const fileFolder = documentFolders(resolve(settings.dataDir))[folder]
  const objectStore = objectStoreOf(settings)
  const store: BlobStore = openBlobStore({
    objectStore: objectStore && { ...objectStore, prefix: `${objectStore.prefix}${prefix}` },
    fileFolder,
    scratchFolder: tmpdir(),
    clock,
  })
  const isAbsent = objectStore === null && !existsSync(fileFolder)
  return isAbsent ? { ...store, list: async function* () {} } : store
}

function needsOfAttachments(database: Database): FileNeeds {
  return {
    async readNeeded(hash) {
      const rows = await database.rows(sql<{ hash: string; size: string; table: string; name: string }>`
        select distinct on (f.hash) f.hash, f.size, f."table", f.name from (
          select a.hash, a.size_bytes as size, t.name as table, a.file_name as name, a.sys_id as number
          from docket.sys_attachment a join docket.sys_db_table t on t.sys_id = a.table_id
          union all
          select encode(e.hash, 'hex'), e.bytes, 'removed history', e.first_changed_at || ' to ' || e.last_changed_at, e.number
          from docket_system.history_export e where e.path is null) as f
        where f.hash is not null and (${hash}::text is null or f.hash = ${hash}::text) order by f.hash, f.number`)
      return rows.map((row) => ({ hash: row.hash, size: Number(row.size), collectionName: row.table, docId: row.name }))
    },
    async readKnownHashes() {
      const rows = await database.rows(sql<{ hash: string }>`
        select encode(hash, 'hex') as hash from docket_system.attachment_blob`)
      return new Set(rows.map(({ hash }) => hash))
    },
  }
}

interface Around {
  readonly ground: DatabaseGround
  /** What to do about orphans. */
  readonly orphans: string
}

function examined({ files, differences }: FileCheck, { ground, orphans }: Around) {
  const how = ground.isThorough ? 'read and compared' : 'compared by size (--thorough reads them)'
  const restore = 'put them back from a backup (docket restore), or load them again'
  const findings = [
    ...finding(differences, 'missing', { fault: 'file-missing', is: 'missing from the file store', cure: restore }),
    ...finding(differences, 'damaged', { fault: 'file-damaged', is: 'damaged: the bytes are others', cure: restore }),
    ...finding(differences, 'orphaned', { fault: 'file-orphaned', is: 'unknown to the database', cure: orphans }),
  ]
  return { summary: `${countOf(files, 'file', 'files')}, ${how}`, findings }
}

interface Wording {
  readonly fault: FaultName
  readonly is: string
  readonly cure: string
}

function finding(
  differences: readonly FileDifference[],
  kind: FileDifference['kind'],
  { fault, is, cure }: Wording,
): readonly Finding[] {
  const found = differences.filter((each) => each.kind === kind)
  if (found.length === 0) return []
  const names = found.map(({ collectionName, docId, hash }) =>
    docId === null ? hash : `${collectionName}: ${docId} (${hash})`,
  )
  return [{ fault, what: countOf(found.length, `file is ${is}`, `files are ${is}`), where: listNames(names), cure }]
}
