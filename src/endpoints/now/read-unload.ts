import { openXml } from '../../extraction/read/read-xml.ts'
import { Rejection } from '../../extraction/rejection.ts'
import type { Problem } from '../../kernel/problem.ts'

/** A record of an exported file, as an instance wrote it. */
export interface ExportedRecord {
  /** Its number in the file, from 1. */
  readonly line: number
  /** Name of its class in ServiceNow; '': the file does not say it. */
  readonly table: string
  readonly values: Readonly<Record<string, string>>
  /** The file asks for a deletion. */
  readonly isDeletion: boolean
}

/** The file is not one that an instance exports. */
export class InvalidUnload extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.kind)
    this.problem = problem
  }
}

/** A JSON file is read as a whole. */
const maxJsonBytes = 67_108_864
const EXPECTED = 'a file that an instance exported: XML with <unload> or <xml>, or JSON with {"records":[…]}'

/**
 * Records of a file: XML (`<unload><incident action="INSERT_OR_UPDATE">…`) or JSON (`{"records":[{…}]}`). XML is read no faster
 * than its records are used.
 *
 * @throws InvalidUnload
 */
export async function* readUnload(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ExportedRecord> {
  const all = pieces[Symbol.asyncIterator]()
  const first = await all.next()
  if (first.done === true) throw invalid('an empty body')
  const start = Buffer.from(first.value)
    .toString('latin1')
    .replace(/[\0\s\xef\xbb\xbf\xff\xfe]+/g, '')[0]
  const whole = startingWith(first.value, all)
  if (start === '<') yield* readXmlRecords(whole)
  else if (start === '{') yield* readJsonRecords(whole)
  else throw invalid('neither XML nor JSON')
}

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

const invalid = (found: string): InvalidUnload => new InvalidUnload({ kind: 'bad-body', expected: EXPECTED, found })

// ── XML ──

async function* readXmlRecords(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ExportedRecord> {
  const records = new XmlRecords()
  const reader = openXml(records)
  try {
    for await (const piece of pieces) {
      reader.write(piece)
      yield* records.take()
    }
    reader.end()
    yield* records.take()
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    const { problem } = error
    throw invalid(problem.kind === 'unreadable-document' ? problem.detail : problem.found)
  }
}

/** Depth of the elements. Others are ignored. */
const OF_RECORD = 2
const OF_COLUMN = 3

/** Collects the records of a document whose root holds records, which hold columns. */
class XmlRecords {
  #depth = 0
  #count = 0
  #table = ''
  #isDeletion = false
  #values: Record<string, string> = {}
  #text = ''
  #whole: ExportedRecord[] = []

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1
    if (this.#depth === 1 && name !== 'unload' && name !== 'xml') throw invalid(`<${name.slice(0, 60)}>`)
    if (this.#depth === OF_RECORD) {
      this.#table = name
      this.#isDeletion = attributes['action'] === 'DELETE'
      this.#values = {}
    }
    if (this.#depth === OF_COLUMN) this.#text = ''
  }

  text(text: string): void {
    if (this.#depth === OF_COLUMN) this.#text += text
  }

  close(name: string): void {
    if (this.#depth === OF_COLUMN) this.#values[name] = this.#text
    if (this.#depth === OF_RECORD) {
      this.#count += 1
      const table = this.#values['sys_class_name'] || this.#table
      this.#whole.push({ line: this.#count, table, values: this.#values, isDeletion: this.#isDeletion })
    }
    this.#depth -= 1
  }

  take(): readonly ExportedRecord[] {
    const whole = this.#whole
    this.#whole = []
    return whole
  }
}

// ── JSON ──

async function* readJsonRecords(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ExportedRecord> {
  const file = parseJson(await readAll(pieces))
  const rows = typeof file === 'object' && file !== null && 'records' in file ? file.records : undefined
  if (!Array.isArray(rows)) throw invalid('JSON without an array records')
  // Before the first record is used.
  const wrong = rows.findIndex((row) => typeof row !== 'object' || row === null)
  if (wrong >= 0) throw invalid(`a record ${wrong + 1} that is not an object`)
  for (const [index, row] of rows.entries()) {
    const values = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)]))
    yield { line: index + 1, table: values['sys_class_name'] ?? '', values, isDeletion: false }
  }
}

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > maxJsonBytes) throw new InvalidUnload({ kind: 'body-too-large', maxBytes: maxJsonBytes })
    all.push(piece)
  }
  return Buffer.concat(all)
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new InvalidUnload({ kind: 'bad-json', detail: error instanceof Error ? error.message : 'it does not parse' })
  }
}

/** A value, or what a read with links or display values returns. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'value' in value) return textOf(value.value)
  return value === null || value === undefined ? '' : String(value)
}
