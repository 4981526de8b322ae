import { createReadStream } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import type { Command, Option } from 'commander'
import { z } from 'zod'
import type { ImportRow } from '../../bulk/import-rows.ts'
import { csvSource, ndjsonSource, parseJson } from '../../bulk/import-sources.ts'
import { ImportAnswer } from '../../contract/bulk.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { interruptedExitCode, listenForInterrupt } from '../documents/listen-for-interrupt.ts'
import { openServerClient, type ServerClient, type ServerOption } from '../documents/server-client.ts'
import { type Progress, showProgress } from '../documents/show-progress.ts'

interface ImportOptions extends ServerOption {
  readonly table: string
  readonly key?: string
  readonly format?: string
  readonly onHit: string
  readonly dryRun?: true
  readonly again?: true
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
    .option('--on-hit <what>', 'update or skip what is there already', 'update')
    .option('--dry-run', 'tell what would be, keep nothing')
    .option('--again', 'begin at the first row, though an import of this file was interrupted')
    .addOption(serverOption())
    .action(async (file: string, options: ImportOptions) => {
      const client = openServerClient(options)
      const done = await importFile(client, file, options)
      const { inserted, updated, skipped, failed } = done.totals
      console.error(`${file}: ${inserted} inserted, ${updated} updated, ${skipped} skipped, ${failed} failed`)
      if (done.isInterrupted) {
        console.error('Interrupted: run the same command again to go on.')
        process.exitCode = interruptedExitCode
      } else if (failed > 0) process.exitCode = 1
    })
}

/** Rows a request: a second or so of work, so that the bar moves and an interruption loses little. */
const rowsAtOnce = 1_000

const Totals = z.object({ inserted: z.int(), updated: z.int(), skipped: z.int(), failed: z.int() })
type Totals = z.infer<typeof Totals>

/** What is remembered beside the file while an import is under way. */
const Mark = z.object({ of: z.string(), rows: z.int(), totals: Totals })

async function importFile(
  client: ServerClient,
  file: string,
  options: ImportOptions,
): Promise<{ readonly totals: Totals; readonly isInterrupted: boolean }> {
  const { size, mtimeMs } = await stat(file).catch(() => {
    throw new StartFailure(`${file} cannot be read.`, { exitCode: 2 })
  })
  const of = JSON.stringify([size, mtimeMs, options.table, options.key ?? '', options.onHit])
  const markFile = `${file}.docket-import`
  const mark = options.again || options.dryRun ? null : await readMark(markFile, of)
  let { rows: done, totals } = mark ?? { rows: 0, totals: { inserted: 0, updated: 0, skipped: 0, failed: 0 } }
  const bytes = { read: 0 }
  const { rows: source, isText } = await openSource(file, options, bytes)
  const progress = showProgress({ unit: 'KB', total: Math.ceil(size / 1_024), out: process.stderr })
  const interrupt = listenForInterrupt()
  if (done > 0) progress.note(`${done} rows are in already; going on behind them.`)
  try {
    for await (const batch of batches(source, done)) {
      if (interrupt.isAsked()) break
      totals = added(totals, await send(client, batch, { ...options, isText }, progress))
      done += batch.length
      // Written when the server has answered: what was sent and not noted is sent again, and changes nothing with a key.
      if (options.dryRun === undefined) await writeMark(markFile, { of, rows: done, totals })
      progress.reach(Math.min(Math.ceil(bytes.read / 1_024), Math.ceil(size / 1_024)), Math.ceil(size / 1_024))
    }
    if (!interrupt.isAsked()) await rm(markFile, { force: true })
    return { totals, isInterrupted: interrupt.isAsked() }
  } finally {
    progress.end()
    interrupt.ignore()
  }
}

async function openSource(
  file: string,
  { format }: ImportOptions,
  bytes: { read: number },
): Promise<{ readonly rows: AsyncIterable<ImportRow>; readonly isText: boolean }> {
  const kind = format ?? (/\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : /\.(csv|tsv|txt)$/i.test(file) ? 'csv' : '')
  if (kind !== 'csv' && kind !== 'ndjson')
    throw new StartFailure('Say by --format whether the file is csv or ndjson.', { exitCode: 2 })
  const text = textOf(file, bytes)
  if (kind === 'ndjson') return { rows: ndjsonSource(text, parseJson), isText: false }
  const rows = await csvSource(text, null)
  if (rows.ok) return { rows: rows.value, isText: true }
  const { error } = rows
  throw new StartFailure(
    error.kind === 'bad-body' ? `${file}: ${error.expected} is expected; found ${error.found}.` : file,
  )
}

async function* textOf(file: string, bytes: { read: number }): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const piece of createReadStream(file)) {
    bytes.read += (piece as Buffer).length
    yield decoder.decode(piece as Buffer, { stream: true })
  }
  yield decoder.decode()
}

async function* batches(rows: AsyncIterable<ImportRow>, skip: number): AsyncGenerator<readonly ImportRow[]> {
  let batch: ImportRow[] = []
  let seen = 0
  for await (const row of rows) {
    seen += 1
    if (seen <= skip) continue
    batch.push(row)
    if (batch.length < rowsAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Rows that can be read go to the server; the others are told by us. */
async function send(
  client: ServerClient,
  batch: readonly ImportRow[],
  { table, key, onHit, dryRun, isText }: ImportOptions & { readonly isText: boolean },
  progress: Progress,
): Promise<Totals> {
  const good = batch.flatMap(({ line, values }) => (values.ok ? [{ line, values: values.value }] : []))
  const bad = batch.filter(({ values }) => !values.ok)
  for (const { line, values } of bad) progress.note(`line ${line}: ${values.ok ? '' : JSON.stringify(values.error)}`)
  if (good.length === 0) return { inserted: 0, updated: 0, skipped: 0, failed: bad.length }
  const form = new FormData()
  form.set('file', new Blob([JSON.stringify({ [table]: good.map(({ values }) => values) })]), 'rows.json')
  const query = { key: key ?? '', on_hit: onHit, dry_run: dryRun ? '1' : '0', text: isText ? '1' : '0' }
  const answer = await client.ask({ method: 'POST', path: '/v1/import/json', query, body: form })
  if (!answer.ok) throw new StartFailure(answer.message)
  const { data } = ImportAnswer.extend({ data: ImportAnswer.shape.data.omit({ table: true }) }).parse(answer.body)
  for (const { line, message } of data.errors) progress.note(`line ${good[line - 1]?.line ?? line}: ${message}`)
  const { inserted, updated, skipped, failed } = data
  return { inserted, updated, skipped, failed: failed + bad.length }
}

const added = (one: Totals, other: Totals): Totals => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  skipped: one.skipped + other.skipped,
  failed: one.failed + other.failed,
})

/** @returns null when there is none, or it is of another file or another import */
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
