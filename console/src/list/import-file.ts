/** One row of a file. */
export interface FileRow {
  /** Line of the file that the row begins on, from 1. */
  readonly line: number
  /** The row as it is in the file, without its line end. */
  readonly text: string
  /** Of CSV; a JSON row is sent as its text. */
  readonly cells: readonly string[]
  /** Why the row cannot be sent. */
  readonly fault: Fault | null
}

export type Fault =
  | { readonly kind: 'cells'; readonly found: number; readonly expected: number }
  | { readonly kind: 'quote' | 'notClosed' | 'notAnObject' }

export interface ImportFile {
  readonly name: string
  readonly kind: 'csv' | 'ndjson'
  readonly delimiter: string
  /** The first row of CSV as it is in the file; '' for NDJSON. */
  readonly head: string
  /** Names of its columns. */
  readonly names: readonly string[]
  readonly rows: readonly FileRow[]
}

export type UnreadableFile = 'tooLarge' | 'notUtf8' | 'empty'

/** The page holds the whole file. */
export const maxFileMb = 50

/** Reads CSV (RFC 4180, with `,`, `;` or tab) or NDJSON. A row with a fault is kept, with the reason, and does not change how the others are read. */
export async function readFile(file: File): Promise<ImportFile | UnreadableFile> {
  if (file.size > maxFileMb * 1_048_576) return 'tooLarge'
  let text: string
  try {
    // Leaves out a byte order mark.
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    return 'notUtf8'
  }
  const isJson = /\.(ndjson|jsonl)$/i.test(file.name) || text.trimStart().startsWith('{')
  const read = isJson ? readJsonRows(text) : readCsvRows(text)
  return read.rows.length === 0 ? 'empty' : { name: file.name, ...read }
}

type ReadRows = Omit<ImportFile, 'name'>

function readJsonRows(text: string): ReadRows {
  const names = new Set<string>()
  const rows = text.split(/\r\n|\r|\n/).flatMap((line, at): FileRow[] => {
    if (line.trim() === '') return []
    const keys = keysOf(line)
    for (const key of keys ?? []) names.add(key)
    return [{ line: at + 1, text: line, cells: [], fault: keys === null ? { kind: 'notAnObject' } : null }]
  })
  return { kind: 'ndjson', delimiter: '', head: '', names: [...names], rows }
}

function keysOf(line: string): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : null
  } catch {
    return null
  }
}

export function readCsvRows(text: string): ReadRows {
  const delimiter = likeliestDelimiter(text)
  const [head, ...rows] = [...csvRows(text, delimiter)].filter((row) => row.text !== '')
  const names = (head?.cells ?? []).map((name) => name.trim())
  const withCount = (row: FileRow): FileRow =>
    row.fault !== null || row.cells.length === names.length
      ? row
      : { ...row, fault: { kind: 'cells', found: row.cells.length, expected: names.length } }
  return { kind: 'csv', delimiter, head: head?.text ?? '', names, rows: rows.map(withCount) }
}

/** The most frequent of `,`, `;` and tab in the first line. */
function likeliestDelimiter(text: string): string {
  const [first = ''] = text.split(/[\r\n]/, 1)
  const count = (mark: string): number => first.split(mark).length
  return [';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best), ',')
}

/** Rows of CSV, also of a block that was copied in a spreadsheet. */
export function* csvRows(text: string, delimiter: string): Generator<FileRow> {
  let line = 1
  for (let at = 0; at < text.length; ) {
    const { cells, end, fault } = rowAt(text, at, delimiter)
    const row = text.slice(at, end)
    yield { line, text: row, cells, fault }
    line += row.split(/\r\n|\r|\n/).length
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1
  }
}

interface ReadRow {
  readonly cells: readonly string[]
  /** Where the line end of the row is. */
  readonly end: number
  readonly fault: FileRow['fault']
}

function rowAt(text: string, start: number, delimiter: string): ReadRow {
  const cells: string[] = []
  let fault: FileRow['fault'] = null
  for (let at = start; ; ) {
    const isQuoted = text[at] === '"'
    const cell = isQuoted ? quotedCell(text, at) : { value: '', end: at, fault: null }
    const rest = plainEnd(text, cell.end, delimiter)
    if (isQuoted && rest > cell.end) fault ??= { kind: 'quote' }
    fault ??= cell.fault
    cells.push(cell.value + text.slice(cell.end, rest))
    if (text[rest] !== delimiter) return { cells, end: rest, fault }
    at = rest + 1
  }
}

/** Ends behind the closing quote. */
function quotedCell(text: string, start: number): { value: string; end: number; fault: FileRow['fault'] } {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return { value: text.slice(start + 1), end: text.length, fault: { kind: 'notClosed' } }
    if (text[quote + 1] !== '"')
      return { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1, fault: null }
    from = quote + 2
  }
}

function plainEnd(text: string, start: number, delimiter: string): number {
  let end = start
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1
  return end
}
