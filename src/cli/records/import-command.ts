import { randomUUID } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Command, Option } from 'commander'
import { z } from 'zod'
import type { ImportRow } from '../../bulk/import-job.ts'
import { csvSource, ndjsonSource, parseJson } from '../../bulk/import-sources.ts'
import { readMapping } from '../../bulk/mapping.ts'
import { ImportEnvelope } from '../../contract/bulk.ts'
import type { Problem } from '../../kernel/problem.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { charsetLabel } from '../../text-formats/charset-labels.ts'
import { decodeStream } from '../../text-formats/decode-stream.ts'
import { interruptedExitCode, listenForInterrupt } from '../documents/listen-for-interrupt.ts'
import { openServerClient, type ServerClient, type ServerOption } from '../documents/server-client.ts'
import { type Progress, showProgress } from '../documents/show-progress.ts'
import { importFiles } from './import-files.ts'
import { withFilesOf } from './unpack-files.ts'

interface ImportOptions extends ServerOption {
  readonly table: string
  readonly key?: string
  readonly format?: string
  readonly encoding: string
  readonly onHit: string
  readonly dryRun?: true
  readonly again?: true
  readonly spreadsheet?: true
  readonly migrate?: true
  readonly mapping?: string
  readonly withFiles?: string
}

/** `docket records import …` */
export function registerImport(records: Command, serverOption: () => Option): void {
  records
    .command('import')
    .description('import a CSV or NDJSON file into a table')
    .argument('<file>')
    .requiredOption('--table <name>')
    .option('--key <columns>', 'columns, with commas, that tell whether a record is there already')
    .option('--format <format>', 'csv or ndjson (default: by the name of the file)')
    .option('--encoding <name>', 'of the file, such as windows-1251 or utf-16le', 'utf-8')
    .option('--on-hit <what>', 'update or skip what is there already', 'update')
    .option('--dry-run', 'report what would change, write nothing')
    .option('--migrate', 'move records in: ids, numbers, authors, times, states and journals are those of the file')
    .option('--mapping <file>', 'JSON that says how columns and values of the file are called here')
    .option(
      '--with-files <path>',
      'attach the files of a folder or ZIP archive, as docket records export --with-files wrote them',
    )
    .option('--spreadsheet', "cells of a CSV file are guarded by a ' before what a spreadsheet would run")
    .option('--again', 'begin at the first row, though an import of this file was interrupted')
    .addOption(serverOption())
    .action(async (file: string, options: ImportOptions) => {
      const client = openServerClient(options)
      const done = options.dryRun ? await tryFile(client, file, options) : await importFile(client, file, options)
      const hasFiles = options.withFiles !== undefined && !options.dryRun && !done.isInterrupted
      const files = hasFiles
        ? await withFilesOf(options.withFiles ?? '', (folder) => importFiles(client, options.table, folder))
        : null
      if (files !== null)
        console.error(`${options.withFiles}: ${files.attached} files attached, ${files.failed} failed`)
      const { inserted, updated, skipped, failed } = done.totals
      console.error(`${file}: ${inserted} inserted, ${updated} updated, ${skipped} skipped, ${failed} failed`)
      if (done.isInterrupted) {
        console.error('Interrupted: run the same command again to go on.')
        process.exitCode = interruptedExitCode
      } else if (failed + (files?.failed ?? 0) > 0) process.exitCode = 1
    })
}

/** Rows per request: about a second of work, so that the bar moves and an interruption loses little. */
const rowsAtOnce = 1_000

const Totals = z.object({ inserted: z.int(), updated: z.int(), skipped: z.int(), failed: z.int() })
type Totals = z.infer<typeof Totals>

/** The server's limit within one request. */
const maxWaiting = 20_000

/** State kept beside the file while an import is in progress. */
const Mark = z.object({
  id: z.string(),
  of: z.string(),
  rows: z.int(),
  totals: Totals,
  /** Numbers of rows that were sent and wait for records further down. */
  waiting: z.array(z.int()).default([]),
})

interface Done {
  readonly totals: Totals
  readonly isInterrupted: boolean
}

async function importFile(client: ServerClient, file: string, options: ImportOptions): Promise<Done> {
  const { size, mtimeMs } = await statOf(file)
  const mapping = await readMappingFile(options)
  const kindOfImport = [options.migrate ?? false, mapping]
  const of = JSON.stringify([
    size,
    mtimeMs,
    options.table,
    options.key ?? '',
    options.onHit,
    options.encoding,
    ...kindOfImport,
  ])
  const markFile = `${file}.docket-import`
  const mark = options.again ? null : await readMark(markFile, of)
  const none = { id: randomUUID(), rows: 0, totals: NOTHING, waiting: [] }
  let { rows: done, totals } = mark ?? none
  const { id, waiting: before } = mark ?? none
  const waiting: NumberedRow[] = []
  const sending = { ...options, mapping }
  const bytes = { read: 0 }
  const { rows: source, isText } = await openSource(file, options, bytes)
  const progress = showProgress({ unit: 'KB', total: Math.ceil(size / 1_024), out: process.stderr })
  const interrupt = listenForInterrupt()
  if (done > 0) progress.note(`${done} rows are in already; going on behind them.`)
  try {
    // Before anything is sent: rows that are written but not recorded are sent again under the same key, which the server knows.
    const keep = (): Promise<void> => {
      const numbers = [...new Set([...before, ...waiting.map(({ number }) => number)])]
      return writeMark(markFile, { id, of, rows: done, totals, waiting: numbers })
    }
    if (mark === null) await keep()
    for await (const batch of batches(source, { done, before: new Set(before), waiting })) {
      if (interrupt.isRequested()) break
      const sent = await send(client, batch, { ...sending, isText, name: `${id}-${done}` })
      const held = options.migrate ? sent.failures.slice(0, maxWaiting - waiting.length) : []
      waiting.push(...held.map(({ row }) => row))
      for (const { row, message } of sent.failures.slice(held.length)) progress.note(`line ${row.line}: ${message}`)
      totals = added(totals, { ...sent.totals, failed: sent.totals.failed - held.length })
      done += batch.length
      await keep()
      progress.reach(Math.min(Math.ceil(bytes.read / 1_024), Math.ceil(size / 1_024)), Math.ceil(size / 1_024))
    }
    if (!interrupt.isRequested()) {
      totals = added(totals, await sendWaiting(client, waiting, { ...sending, isText }, progress))
      await rm(markFile, { force: true })
    }
    return { totals, isInterrupted: interrupt.isRequested() }
  } finally {
    progress.end()
    interrupt.ignore()
  }
}

/**
 * The whole file as one request whose writes are rolled back: rows that depend on earlier rows of the file can only be checked together
 * with all of them.
 */
async function tryFile(client: ServerClient, file: string, options: ImportOptions): Promise<Done> {
  const { size } = await statOf(file)
  const kind = kindOf(file, options)
  const { table, key = '', onHit, encoding } = options
  const mapping = await readMappingFile(options)
  const progress = showProgress({ unit: 'KB', total: Math.ceil(size / 1_024), out: process.stderr })
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    let read = 0
    for await (const piece of createReadStream(file)) {
      read += (piece as Buffer).length
      progress.reach(Math.ceil(read / 1_024), Math.ceil(size / 1_024))
      yield piece as Buffer
    }
  }
  try {
    const response = await client.send({
      method: 'POST',
      path: `/rest/v1/import/${encodeURIComponent(table)}`,
      query: {
        key,
        on_hit: onHit,
        dry_run: '1',
        migrate: options.migrate ? '1' : '0',
        mapping: mapping ?? '',
        ...(kind === 'csv' && !options.spreadsheet ? { raw: '1' } : {}),
      },
      headers: { 'content-type': `${kind === 'csv' ? 'text/csv' : 'application/x-ndjson'}; charset=${encoding}` },
      body: () => Readable.toWeb(Readable.from(counted())) as ReadableStream<Uint8Array>,
    })
    if (!response.ok) throw new StartFailure(response.message)
    const { data } = ImportEnvelope.parse(response.body)
    for (const { line, message } of data.errors) progress.note(`line ${line}: ${message}`)
    const { inserted, updated, skipped, failed } = data
    return { totals: { inserted, updated, skipped, failed }, isInterrupted: false }
  } finally {
    progress.end()
  }
}

function statOf(file: string): Promise<Stats> {
  return stat(file).catch(() => {
    throw new StartFailure(`${file} cannot be read.`, { exitCode: 2 })
  })
}

function kindOf(file: string, { format }: ImportOptions): 'csv' | 'ndjson' {
  const kind = format ?? (/\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : /\.(csv|tsv|txt)$/i.test(file) ? 'csv' : '')
  if (kind === 'csv' || kind === 'ndjson') return kind
  throw new StartFailure('Say by --format whether the file is csv or ndjson.', { exitCode: 2 })
}

async function openSource(
  file: string,
  options: ImportOptions,
  bytes: { read: number },
): Promise<{ readonly rows: AsyncIterable<ImportRow>; readonly isText: boolean }> {
  const text = textOf(file, options.encoding, bytes)
  if (kindOf(file, options) === 'ndjson') return { rows: ndjsonSource(text, parseJson), isText: false }
  const rows = await csvSource(text, { delimiter: null, isRaw: !options.spreadsheet })
  if (rows.ok) return { rows: rows.value, isText: true }
  const { error } = rows
  throw new StartFailure(`${file}: ${wordsOf(error)}`)
}

function textOf(file: string, encoding: string, bytes: { read: number }): AsyncIterable<string> {
  const label = charsetLabel(encoding)
  if (label === undefined) throw new StartFailure(`There is no encoding ${encoding}.`, { exitCode: 2 })
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of createReadStream(file)) {
      bytes.read += (piece as Buffer).length
      yield piece as Buffer
    }
  }
  return decodeStream(counted(), label)
}

/** A row with its number in the file, from 1. */
type NumberedRow = ImportRow & { readonly number: number }

/** @param waiting takes the rows of `before`, which an interrupted import sent */
async function* batches(
  rows: AsyncIterable<ImportRow>,
  {
    done,
    before,
    waiting,
  }: { readonly done: number; readonly before: ReadonlySet<number>; readonly waiting: NumberedRow[] },
): AsyncGenerator<readonly NumberedRow[]> {
  let batch: NumberedRow[] = []
  let number = 0
  for await (const row of rows) {
    number += 1
    if (before.has(number)) waiting.push({ ...row, number })
    if (number <= done) continue
    batch.push({ ...row, number })
    if (batch.length < rowsAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Rows of a migration may refer to records further down in the file: they are sent in rounds, while a round writes some. */
async function sendWaiting(
  client: ServerClient,
  rows: readonly NumberedRow[],
  options: Omit<Sending, 'name'>,
  progress: Progress,
): Promise<Totals> {
  let totals = NOTHING
  for (let waiting = rows; waiting.length > 0; ) {
    const failures: Failure[] = []
    for (let at = 0; at < waiting.length; at += rowsAtOnce) {
      const sent = await send(client, waiting.slice(at, at + rowsAtOnce), { ...options, name: randomUUID() })
      failures.push(...sent.failures)
      totals = added(totals, { ...sent.totals, failed: 0 })
    }
    if (failures.length === waiting.length) {
      for (const { row, message } of failures) progress.note(`line ${row.line}: ${message}`)
      return added(totals, { ...NOTHING, failed: failures.length })
    }
    waiting = failures.map(({ row }) => row)
  }
  return totals
}

interface Failure {
  readonly row: NumberedRow
  readonly message: string
}

interface Sending extends Omit<ImportOptions, 'mapping'> {
  readonly mapping: string | null
  readonly isText: boolean
  /** The key of the request: sent again, it writes nothing twice. */
  readonly name: string
}

/** Rows that can be read are sent to the server; the others are reported here. */
async function send(
  client: ServerClient,
  batch: readonly NumberedRow[],
  { table, key, onHit, isText, name, migrate, mapping }: Sending,
): Promise<{ readonly totals: Totals; readonly failures: readonly Failure[] }> {
  const good = batch.flatMap((row) => (row.values.ok ? [{ row, values: row.values.value }] : []))
  const failures = batch.flatMap((row): Failure[] =>
    row.values.ok ? [] : [{ row, message: wordsOf(row.values.error) }],
  )
  if (good.length === 0) return { totals: { ...NOTHING, failed: failures.length }, failures }
  const form = new FormData()
  if (mapping !== null) form.set('mapping', mapping)
  form.set('file', new Blob([JSON.stringify({ [table]: good.map(({ values }) => values) })]), 'rows.json')
  const query = { key: key ?? '', on_hit: onHit, text: isText ? '1' : '0', ...(migrate ? { migrate: '1' } : {}) }
  const headers = { 'idempotency-key': name }
  const response = await client.send({ method: 'POST', path: '/v1/import/json', query, headers, body: form })
  if (!response.ok) throw new StartFailure(response.message)
  const { data } = ImportEnvelope.extend({ data: ImportEnvelope.shape.data.omit({ table: true }) }).parse(response.body)
  for (const { line, message } of data.errors) {
    const row = good[line - 1]?.row
    if (row !== undefined) failures.push({ row, message })
  }
  const { inserted, updated, skipped, failed } = data
  return { totals: { inserted, updated, skipped, failed: failed + batch.length - good.length }, failures }
}

/** @returns the JSON of the file; null without one */
async function readMappingFile({ mapping: file }: ImportOptions): Promise<string | null> {
  if (file === undefined) return null
  const text = await readFile(file, 'utf8').catch(() => {
    throw new StartFailure(`${file} cannot be read.`, { exitCode: 2 })
  })
  const mapping = readMapping(text, file)
  if (!mapping.ok) throw new StartFailure(wordsOf(mapping.error), { exitCode: 2 })
  return text
}

/** Errors found by this command: invalid rows. */
function wordsOf(problem: Problem): string {
  if (problem.kind === 'bad-body') return `${problem.expected} is expected; found ${problem.found}.`
  return problem.kind === 'bad-json' ? `this is not valid JSON: ${problem.detail}.` : problem.kind
}

const NOTHING: Totals = { inserted: 0, updated: 0, skipped: 0, failed: 0 }

const added = (one: Totals, other: Totals): Totals => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  skipped: one.skipped + other.skipped,
  failed: one.failed + other.failed,
})

/** @returns null if there is none, or it belongs to another file or another import */
async function readMark(path: string, of: string): Promise<z.infer<typeof Mark> | null> {
  const text = await readFile(path, 'utf8').catch(() => '')
  try {
    const mark = Mark.parse(JSON.parse(text))
    return mark.of === of ? mark : null
  } catch {
    return null
  }
}

async function writeMark(path: string, mark: z.infer<typeof Mark>): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(mark))
  await rename(`${path}.new`, path)
}
