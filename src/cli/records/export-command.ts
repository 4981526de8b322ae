import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Command, Option } from 'commander'
import { StartFailure } from '../../kernel/start-failure.ts'
import { openServerClient, type ServerOption } from '../documents/server-client.ts'
import { showProgress } from '../documents/show-progress.ts'
import { mustBeReplaceable } from '../output-file.ts'
import { exportFiles } from './export-files.ts'

interface ExportOptions extends ServerOption {
  readonly table: string
  readonly output: string
  readonly format?: string
  readonly query: string
  readonly fields: string
  readonly display?: true
  readonly spreadsheet?: true
  readonly withJournals?: true
  readonly withFiles?: string
}

/** `docket records export …` */
export function registerRecordExport(records: Command, serverOption: () => Option): void {
  records
    .command('export')
    .description('write records of a table as CSV or NDJSON, in the form that docket records import reads')
    .requiredOption('--table <name>')
    .requiredOption('--output <file>', '- is standard output')
    .option('--format <format>', 'csv or ndjson (default: by the name of the file, else csv)')
    .option('--query <query>', 'an encoded query: which records, in which order', '')
    .option('--fields <columns>', 'with commas (default: all that the key may read)', '')
    .option('--with-journals', 'journal columns hold their entries, as docket records import --migrate reads them')
    .option('--with-files <folder>', 'write the files of the records into this folder')
    .option('--spreadsheet', "CSV to be opened by a spreadsheet: ' before cells that it would run")
    .option('--display', 'values as people read them')
    .addOption(serverOption())
    .action(async (options: ExportOptions) => {
      const kilobytes = await exportFile(options)
      if (options.output !== '-') console.error(`${options.output}: ${kilobytes} KB written`)
      const { table, query, withFiles: folder } = options
      if (folder === undefined) return
      const files = await exportFiles(openServerClient(options), { table, query, folder })
      console.error(`${folder}: ${files} files written`)
    })
}

async function exportFile(options: ExportOptions): Promise<number> {
  const { table, output, query, fields, display, spreadsheet, withJournals } = options
  if (output !== '-') await mustBeReplaceable(output)
  const client = openServerClient(options)
  const format = options.format ?? (/\.(ndjson|jsonl)$/i.test(output) ? 'ndjson' : 'csv')
  const response = await client.download({
    method: 'GET',
    path: `/rest/v1/export/${encodeURIComponent(table)}`,
    query: {
      format,
      sysparm_query: query,
      sysparm_fields: fields,
      sysparm_display_value: display ? '1' : '0',
      raw: spreadsheet ? '0' : '1',
      journals: withJournals ? '1' : '0',
    },
  })
  const progress = showProgress({ unit: 'MB', total: null, out: process.stderr })
  let bytes = 0
  const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>)
  const counted = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const megabytes = Math.floor(bytes / 1_048_576)
      bytes += piece.length
      for (let at = megabytes; at < Math.floor(bytes / 1_048_576); at += 1) progress.step(table)
      yield piece
    }
  }
  // An incomplete file must not look like a complete one.
  const unfinished = `${output}.part`
  try {
    if (output === '-') await pipeline(body, counted, process.stdout, { end: false })
    else {
      await pipeline(body, counted, createWriteStream(unfinished))
      await rename(unfinished, output)
    }
  } catch (error) {
    await rm(unfinished, { force: true })
    const why = error instanceof Error ? error.message : String(error)
    throw new StartFailure(`The export broke off after ${Math.ceil(bytes / 1_024)} KB: ${why}.`)
  } finally {
    progress.end()
  }
  return Math.ceil(bytes / 1_024)
}
