import type { EncodedQuery } from '../condition/condition-tree.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { Row } from '../records/record-result.ts'
import type { RecordService } from '../records/record-service.ts'
import { guardCell } from '../text-formats/guard-cell.ts'
import { csvCell, csvLine, csvText, isPlainCell, lineOf } from '../text-formats/write-csv.ts'
import { type JournalsOf, withJournals } from './journals-of-page.ts'

export interface ExportOptions {
  readonly table: string
  readonly query: EncodedQuery
  readonly fields: readonly string[]
  readonly display: boolean
  readonly format: 'csv' | 'ndjson'
  /** How CSV cells are written. */
  readonly cells: CellForms
  /** Journals included in each row; null: none. */
  readonly journals: Omit<JournalsOf, 'records'> | null
}

export interface CellForms {
  /** Fields whose values are any JSON, including plain text. */
  readonly json: ReadonlySet<string>
  /** Fields whose texts are escaped against formula injection in spreadsheets. */
  readonly guarded: ReadonlySet<string>
}

/** Records per page, which is what memory holds at once. */
const pageRows = 1_000

interface Page {
  readonly data: readonly Row[]
  readonly next: string | null
  readonly removedBefore: string | null
}

export interface ExportedRows {
  readonly text: AsyncIterable<string>
  /** As of a list (record-result.ts), when the export began. */
  readonly removedBefore: string | null
}

/**
 * Yields records as text, page by page, through the Table API and its cursor: a million rows need the memory of a thousand.
 *
 * @returns an error if the first page cannot be read
 * @throws Error if a later page cannot be read: a partial file must not look complete
 */
export async function exportRows(
  options: ExportOptions,
  records: Pick<RecordService, 'list'>,
): Promise<Result<ExportedRows, Problem>> {
  const first = await readPage(options, records, '*')
  if (!first.ok) return first
  return succeed({ text: textOf(first.value, options, records), removedBefore: first.value.removedBefore })
}

async function* textOf(
  first: Page,
  options: ExportOptions,
  records: Pick<RecordService, 'list'>,
): AsyncGenerator<string> {
  const fields = [...options.fields, ...(options.journals?.columns ?? [])]
  const forms = options.format === 'csv' ? fields.map((name) => formOf(name, options.cells)) : null
  if (forms !== null) yield csvLine(fields)
  for (let page = first; ; ) {
    if (page.data.length > 0) {
      yield page.data
        .map((row) =>
          forms === null ? `${JSON.stringify(row)}\n` : lineOf(forms.map((form) => cellOf(row[form.name], form))),
        )
        .join('')
    }
    if (page.next === null) return
    const next = await readPage(options, records, page.next)
    if (!next.ok) throw new Error(`the export broke off: ${JSON.stringify(next.error)}`)
    page = next.value
  }
}

/** How the cells of one field are written; looked up once for the file. */
interface CellForm {
  readonly name: string
  readonly isJson: boolean
  readonly isGuarded: boolean
}

const formOf = (name: string, { json, guarded }: CellForms): CellForm => ({
  name,
  isJson: json.has(name),
  isGuarded: guarded.has(name),
})

function cellOf(value: unknown, { isJson, isGuarded }: CellForm): string {
  if (typeof value === 'string' && !isJson && isPlainCell(value)) return value
  const text = csvText(value, isJson)
  return csvCell(text !== null && isGuarded ? guardCell(text) : text)
}

async function readPage(
  options: ExportOptions,
  records: Pick<RecordService, 'list'>,
  cursor: string,
): Promise<Result<Page, Problem>> {
  const { table, query, fields } = options
  const display = options.display ? 'display' : 'value'
  const page = await records.list({ table, query, fields, display, limit: pageRows, cursor })
  if (!page.ok) return page
  const { next, removedBefore = null } = page.value
  const data = page.value.records.rows()
  if (options.journals === null) return succeed({ data, next, removedBefore })
  const rows = await withJournals(data, { ...options.journals, records })
  return rows.ok ? succeed({ data: rows.value, next, removedBefore }) : rows
}
