import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import type { FileRow, ImportFile } from './import-file.ts'
import { importRows } from './import-rows.ts'

export interface ImportPlan {
  readonly info: TableInfo
  readonly file: ImportFile
  /** For each name of the file the column of the table; '' leaves it out. */
  readonly columns: readonly string[]
  /** Column that identifies existing records; '': every row is a new record. */
  readonly key: string
  /** Values are as they are displayed, times in the time zone of the user. */
  readonly isDisplayed: boolean
}

export interface RejectedRow {
  readonly row: FileRow
  readonly message: string
}

export interface ImportReport {
  /** Rows of the file that were sent or rejected. */
  readonly done: number
  readonly inserted: number
  readonly updated: number
  readonly rejected: readonly RejectedRow[]
  /** Columns that the server fills itself. */
  readonly ignored: readonly string[]
}

export const nothingYet: ImportReport = { done: 0, inserted: 0, updated: 0, rejected: [], ignored: [] }

interface Run {
  readonly isDry: boolean
  /** Keys of the requests begin with it: a batch that is sent again creates no record twice. */
  readonly id: string
  readonly signal: AbortSignal
  readonly onProgress: (report: ImportReport) => void
}

const batchRows = 250
/** The server lists at most 1,000 errors of a request. */
const maxBatchRows = 1_000
const batchCharacters = 4_000_000

/** Sends the rows after those of the report, in batches, until all are sent or the user stops it. A rejected row does not stop the others. */
export async function runImport(plan: ImportPlan, from: ImportReport, run: Run): Promise<ImportReport> {
  const { rows, isWithPrevious } = run.isDry ? keyedTogether(plan) : { rows: plan.file.rows, isWithPrevious: noRow }
  let report = from
  while (report.done < rows.length && !run.signal.aborted) {
    const batch = batchFrom(rows, report.done, isWithPrevious)
    report = added(report, batch, await sendBatch(plan, batch, { ...run, id: `${run.id}-${report.done}` }))
    run.onProgress(report)
  }
  return report
}

/** @param isWithPrevious by index: the row belongs into the batch of the one before */
function batchFrom(
  rows: readonly FileRow[],
  start: number,
  isWithPrevious: (index: number) => boolean,
): readonly FileRow[] {
  let end = start
  for (let characters = 0; end < rows.length && end - start < maxBatchRows; end += 1) {
    characters += rows[end]?.text.length ?? 0
    if (end > start && characters > batchCharacters) break
    if (end - start >= batchRows && !isWithPrevious(end)) break
  }
  return rows.slice(start, end)
}

const noRow = (): boolean => false

/**
 * A check keeps nothing, so only within a batch it knows that an earlier row would have created the record of a later one. Rows with the
 * same key come together, in their order, and the groups in the order of their first rows.
 */
function keyedTogether(plan: ImportPlan): {
  readonly rows: readonly FileRow[]
  readonly isWithPrevious: (index: number) => boolean
} {
  const { file, key } = plan
  if (key === '') return { rows: file.rows, isWithPrevious: noRow }
  const groups = [...Map.groupBy(file.rows, (row) => keyText(row, plan) ?? row).values()]
  const firsts = new Set(groups.map(([first]) => first))
  const rows = groups.flat()
  return { rows, isWithPrevious: (index) => !firsts.has(rows[index] as FileRow) }
}

/** The server compares keys without regard to case. null: the row cannot be read, or has no key. */
function keyText(row: FileRow, { file, columns, key }: ImportPlan): string | null {
  if (row.fault !== null) return null
  const at = columns.indexOf(key)
  const value =
    file.kind === 'csv' ? unguarded(row.cells[at] ?? '') : (JSON.parse(row.text) as Row)[file.names[at] ?? '']
  return value == null || value === '' ? null : String(value).trim().toLowerCase()
}

type Row = Readonly<Record<string, unknown>>

interface Imported {
  readonly inserted: number
  readonly updated: number
  /** `line` is the number of the row, from 1. */
  readonly errors: readonly { readonly line: number; readonly message: string }[]
  readonly ignored_columns: readonly string[]
}

const nothing: Imported = { inserted: 0, updated: 0, errors: [], ignored_columns: [] }

const isSound = ({ fault }: FileRow): boolean => fault === null

async function sendBatch(plan: ImportPlan, batch: readonly FileRow[], { isDry, id }: Run): Promise<Imported> {
  const { info, file, key, isDisplayed } = plan
  const rows = batch
    .filter(isSound)
    .map((row) => (file.kind === 'csv' ? JSON.stringify(valuesOf(row, plan)) : row.text))
  if (rows.length === 0) return nothing
  const parameters = new URLSearchParams({
    ...(file.kind === 'csv' ? { text: '1' } : { mapping: JSON.stringify({ columns: mappingOf(plan) }) }),
    ...(key === '' ? {} : { key }),
    ...(isDisplayed ? { sysparm_input_display_value: '1' } : {}),
    ...(isDry ? { dry_run: '1' } : {}),
  })
  return importRows(info.entry.name, rows, { parameters, idempotencyKey: isDry ? null : id })
}

/** `*`: the other columns of the file are left out. */
const mappingOf = ({ file, columns }: ImportPlan): Readonly<Record<string, string | null>> => ({
  ...Object.fromEntries(file.names.map((name, at) => [name, columns[at] || null])),
  '*': null,
})

const valuesOf = ({ cells }: FileRow, { columns }: ImportPlan): Readonly<Record<string, string>> =>
  Object.fromEntries(
    columns.flatMap((column, at) => (column === '' ? [] : [[column, unguarded(cells[at] ?? '')] as const])),
  )

/** An export puts a `'` before texts that a spreadsheet would execute. */
const unguarded = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

function added(report: ImportReport, batch: readonly FileRow[], imported: Imported): ImportReport {
  const sent = batch.filter(isSound)
  const messages = new Map(imported.errors.map(({ line, message }) => [sent[line - 1], message]))
  const rejected = batch.flatMap((row) => {
    const message = row.fault === null ? messages.get(row) : faultText(row)
    return message === undefined ? [] : [{ row, message }]
  })
  return {
    done: report.done + batch.length,
    inserted: report.inserted + imported.inserted,
    updated: report.updated + imported.updated,
    // Batches of a check are not in the order of the file.
    rejected: [...report.rejected, ...rejected].sort((one, other) => one.row.line - other.row.line),
    ignored: [...new Set([...report.ignored, ...imported.ignored_columns])],
  }
}

function faultText({ fault }: FileRow): string {
  if (fault?.kind === 'cells') return t('import.faultCells', { found: fault.found, expected: fault.expected })
  if (fault?.kind === 'quote') return t('import.faultQuote')
  return t(fault?.kind === 'notClosed' ? 'import.faultNotClosed' : 'import.faultObject')
}

/** The rejected rows as they are in the file, each with its line and reason. Corrected, the file can be imported. */
export function rejectedFile({ kind, head, delimiter }: ImportFile, rejected: readonly RejectedRow[]): string {
  if (kind === 'ndjson') return rejected.map((each) => `${jsonWithError(each)}\n`).join('')
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const lines = rejected.map(({ row, message }) => [row.text, quoted(message)].join(delimiter))
  return `\ufeff${[[head, 'import_error'].join(delimiter), ...lines].join('\r\n')}\r\n`
}

/** The text of the row stays, so that no number loses a digit. */
function jsonWithError({ row, message }: RejectedRow): string {
  const error = `"import_error":${JSON.stringify(message)}`
  if (row.fault !== null) return `{"import_row":${JSON.stringify(row.text)},${error}}`
  const inner = row.text.trim().slice(1, -1).trim()
  return `{${inner === '' ? error : `${inner},${error}`}}`
}
