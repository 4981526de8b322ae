import { createReadStream, type Stats } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Command, Option } from 'commander'
import type { ImportRow } from '../../bulk/import-job.ts'
import { csvSource, ndjsonSource } from '../../bulk/import-sources.ts'
import { readMapping } from '../../bulk/mapping.ts'
import { ImportEnvelope } from '../../contract/bulk.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { charsetLabel } from '../../text-formats/charset-labels.ts'
import { decodeStream } from '../../text-formats/decode-stream.ts'
import { interruptedExitCode, listenForInterrupt } from '../documents/listen-for-interrupt.ts'
import { openServerClient, type ServerClient, type ServerOption } from '../documents/server-client.ts'
import { showProgress } from '../documents/show-progress.ts'
import { type FilesDone, importFiles } from './import-files.ts'
import { type Mark, newMark, readMark, type Totals, writeMark } from './import-mark.ts'
import { importNumbered } from './import-numbered.ts'
import { numbered } from './numbered-rows.ts'
import { messageOf, sendRows } from './send-rows.ts'
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
      const { totals, files, isInterrupted } = options.dryRun
        ? { ...(await tryFile(client, file, options)), files: null }
        : await importFile(client, file, options)
      if (files !== null)
        console.error(`${options.withFiles}: ${files.attached} files attached, ${files.failed} failed`)
      const { inserted, updated, skipped, failed } = totals
      console.error(`${file}: ${inserted} inserted, ${updated} updated, ${skipped} skipped, ${failed} failed`)
      if (isInterrupted) {
        console.error('Interrupted: run the same command again to go on.')
        process.exitCode = interruptedExitCode
      } else if (failed + (files?.failed ?? 0) > 0) process.exitCode = 1
    })
}

interface Done {
  readonly totals: Totals
  readonly isInterrupted: boolean
}

/** The rows, then their files. The mark stays until both are in. */
async function importFile(
  client: ServerClient,
  file: string,
  options: ImportOptions,
): Promise<Done & { readonly files: FilesDone | null }> {
  const markFile = `${file}.docket-import`
  const done = await importRowsOf(client, file, { ...options, markFile })
  const { id, totals, isInterrupted } = done
  if (isInterrupted) return { totals, isInterrupted, files: null }
  const { withFiles, table } = options
  const files =
    withFiles === undefined
      ? null
      : await withFilesOf(withFiles, (folder) => importFiles(client, { table, folder, name: id }))
  await rm(markFile, { force: true })
  return { totals, isInterrupted, files }
}

async function importRowsOf(
  client: ServerClient,
  file: string,
  options: ImportOptions & { readonly markFile: string },
): Promise<Mark & Done> {
  const { size, mtimeMs } = await statOf(file)
  const mapping = await readMappingFile(options)
  const { table, key = '', onHit, encoding, migrate = false, markFile } = options
  const of = JSON.stringify([size, mtimeMs, table, key, onHit, encoding, migrate, mapping])
  const known = options.again ? null : await readMark(markFile, { of, server: client.address })
  const bytes = { read: 0 }
  const { rows, isText } = await openSource(file, options, bytes)
  const progress = showProgress({ unit: 'KB', total: Math.ceil(size / 1_024), out: process.stderr })
  const interrupt = listenForInterrupt()
  if (known !== null && known.rows > 0) progress.note(`${known.rows} rows are in already; going on behind them.`)
  try {
    const mark = await importNumbered(numbered(rows), known ?? newMark(of, client.address), {
      isMigrating: migrate,
      send: (batch, name) => sendRows(client, batch, { ...options, mapping, isText, name }),
      keep: async (state) => {
        await writeMark(markFile, state)
        progress.reach(Math.min(Math.ceil(bytes.read / 1_024), Math.ceil(size / 1_024)), Math.ceil(size / 1_024))
      },
      reject: (line, message) => progress.note(`line ${line}: ${message}`),
      isInterrupted: interrupt.isRequested,
    })
    return { ...mark, isInterrupted: interrupt.isRequested() }
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

async function statOf(file: string): Promise<Stats> {
  const found = await stat(file).catch(() => {
    throw new StartFailure(`${file} cannot be read.`, { exitCode: 2 })
  })
  if (!found.isDirectory()) return found
  throw new StartFailure(`${file} is a folder: name a file.`, { exitCode: 2 })
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
  if (kindOf(file, options) === 'ndjson') return { rows: ndjsonSource(text), isText: false }
  const rows = await csvSource(text, { delimiter: null, isRaw: !options.spreadsheet })
  if (rows.ok) return { rows: rows.value, isText: true }
  const { error } = rows
  throw new StartFailure(`${file}: ${messageOf(error)}`)
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

/** @returns the JSON of the file; null without one */
async function readMappingFile({ mapping: file }: ImportOptions): Promise<string | null> {
  if (file === undefined) return null
  const text = await readFile(file, 'utf8').catch(() => {
    throw new StartFailure(`${file} cannot be read.`, { exitCode: 2 })
  })
  const mapping = readMapping(text, file)
  if (!mapping.ok) throw new StartFailure(messageOf(mapping.error), { exitCode: 2 })
  return text
}
