import type { Table } from '../catalog/catalog.ts'
import { allOf } from '../condition/combine-conditions.ts'
import { isOneOf } from '../condition/literal-checks.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { RecordPage, Row } from '../records/record-result.ts'
import type { RecordService } from '../records/record-service.ts'

/** The format in which an import with migrate=1 accepts the value of a journal column. */
type Entry = Readonly<Record<'sys_id' | 'value' | 'sys_created_at' | 'sys_created_by', unknown>>

/** Entries per statement. */
const pageEntries = 1_000

export interface JournalsOf {
  readonly table: Table
  /** sys_ids of the table and of its descendants: a record_id alone may exist in several tables. */
  readonly classIds: readonly string[]
  /** Journal columns. */
  readonly columns: readonly string[]
  readonly records: Pick<RecordService, 'list'>
}

/** The rows, each with the journal entries that the caller may read, oldest first. */
export async function withJournals(
  rows: readonly Row[],
  journals: JournalsOf,
): Promise<Result<readonly Row[], Problem>> {
  const { table, columns } = journals
  if (columns.length === 0 || rows.length === 0) return succeed(rows)
  const entries = await entriesOf(
    rows.map((row) => String(row[table.keyColumn])),
    journals,
  )
  if (!entries.ok) return entries
  return succeed(
    rows.map((row) => {
      const own = entries.value.get(String(row[table.keyColumn]))
      return { ...row, ...Object.fromEntries(columns.map((column) => [column, own?.get(column) ?? []])) }
    }),
  )
}

type EntriesByRecord = ReadonlyMap<string, ReadonlyMap<string, readonly Entry[]>>

async function entriesOf(
  ids: readonly string[],
  { records, classIds }: JournalsOf,
): Promise<Result<EntriesByRecord, Problem>> {
  const found = new Map<string, Map<string, Entry[]>>()
  const where = allOf([isOneOf(['record_id'], ids), isOneOf(['table_id'], classIds)])
  const orders = ['sys_created_at', 'sys_id'].map((name) => ({
    path: [name],
    direction: 'ascending' as const,
    position: 0,
  }))
  const fields = ['record_id', 'column_name', 'value', 'sys_created_at', 'sys_created_by', 'sys_id']
  const list = { table: 'sys_journal_entry', query: { where, orders }, fields, limit: pageEntries }
  for (let cursor: string | null = '*'; cursor !== null; ) {
    const page: Result<RecordPage, Problem> = await records.list({ ...list, cursor })
    if (!page.ok) return page
    const entries = page.value.records.rows() as readonly (Entry & {
      readonly record_id: string
      readonly column_name: string
    })[]
    for (const { record_id, column_name, value, sys_created_at, sys_created_by, sys_id } of entries) {
      const own = found.get(record_id) ?? new Map<string, Entry[]>()
      found.set(record_id, own)
      own.set(column_name, [...(own.get(column_name) ?? []), { sys_id, value, sys_created_at, sys_created_by }])
    }
    cursor = page.value.next
  }
  return succeed(found)
}
