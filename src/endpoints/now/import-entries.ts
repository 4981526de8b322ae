import { createHash } from 'node:crypto'
import type { Face } from '../../catalog/vocabulary.ts'
import { isJournal } from '../../column-types/column-types.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import type { RecordService } from '../../records/record-service.ts'
import { readServedSysId } from '../../records/translate/find-given-ids.ts'
import type { ExportedRecord } from './read-unload.ts'

/** Entries of journals are records of their own in exported files, and part of their record here. */
export const ENTRIES = 'sys_journal_field'

interface EntryGround {
  readonly deps: { readonly records: RecordDeps; readonly face: Face }
  readonly service: RecordService
  /** The sys_id of a user by name; null: there is none. */
  readonly userOf: (userName: string) => string | null
}

/** Adds an exported journal entry to its record, with time and author. An entry that is there already stays. */
export async function importEntry({ values }: ExportedRecord, ground: EntryGround): Promise<Result<null, Problem>> {
  const { records, face } = ground.deps
  const catalog = await records.catalog.upToDate()
  const names = face.namesIn(catalog)
  const { name = '', element = '', element_id: elementId = '', value = '', sys_id: id = '' } = values
  const table = names.tableNamed(name)
  if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
  const column = names.columnNamed(table, element)?.stored.column
  if (column === undefined || !isJournal(column))
    return fail({ kind: 'invalid-value', field: 'element', detail: `${element} is no journal of ${name}` })
  const sysId = await readServedSysId(elementId, table, { names, database: records.database })
  if (sysId === '') return fail({ kind: 'record-not-found', table: name, sysId: elementId })
  const entry = {
    value,
    sys_created_at: values['sys_created_on'] || null,
    sys_created_by: ground.userOf(values['sys_created_by'] ?? ''),
    sys_id: id === '' ? null : numberOf(id),
  }
  const written = await ground.service.update(sysId, {
    table: table.name,
    values: { [column.name]: [entry] },
    fields: [table.keyColumn],
    inputDisplay: false,
    migrating: true,
  })
  return written.ok ? succeed(null) : written
}

/** The same id gives the same sys_id, so that an entry that is imported again is known. Sequences do not reach these numbers. */
function numberOf(id: string): string {
  const digest = createHash('sha256').update(id.trim().toLowerCase()).digest('hex')
  return String(800_000_000_000_000_000n + (BigInt(`0x${digest.slice(0, 16)}`) % 100_000_000_000_000_000n))
}
