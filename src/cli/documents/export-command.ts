import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Command, Option } from 'commander'
import type { CollectionResponse, DocumentDetailsResponse } from '../../contract/documents.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { cannotWrite, mustBeReplaceable } from '../output-file.ts'
import { sidecarEnding } from './find-sources.ts'
import { detailsOf } from './known-documents.ts'
import { interruptedExitCode, listenForInterrupt } from './listen-for-interrupt.ts'
import { openServerClient, type ServerClient, type ServerOption } from './server-client.ts'
import { showProgress } from './show-progress.ts'

interface ExportOptions extends ServerOption {
  readonly collection: string
  readonly output?: string
  readonly files?: string
  readonly filter: string
}

/** `docket documents export …` */
export function registerExport(documents: Command, serverOption: () => Option): void {
  documents
    .command('export')
    .description('write a collection as NDJSON or as files, in the form that docket documents load reads')
    .requiredOption('--collection <name>')
    .option('--output <file>', 'texts and metadata, a document a line; - is standard output')
    .option('--files <folder>', 'the files as they were loaded, each with its metadata beside it')
    .option('--filter <query>', 'only documents whose metadata it holds for, such as status=published', '')
    .addOption(serverOption())
    .action(async (options: ExportOptions) => {
      const { output, files, filter } = options
      if ((output === undefined) === (files === undefined))
        throw new StartFailure('Name either --output, for texts, or --files, for files.', { exitCode: 2 })
      if (files !== undefined && filter !== '')
        throw new StartFailure('--filter selects texts: name --output with it.', { exitCode: 2 })
      const client = openServerClient(options)
      const exported =
        output === undefined ? exportFiles(client, options, files ?? '') : exportTexts(client, options, output)
      const { written, kept, isInterrupted } = await exported
      console.error(`${options.collection}: ${written} written${kept > 0 ? `, ${kept} were there` : ''}`)
      if (!isInterrupted) return
      console.error('Interrupted: run the same command again to go on.')
      process.exitCode = interruptedExitCode
    })
}

interface Exported {
  readonly written: number
  readonly kept: number
  readonly isInterrupted: boolean
}

// ── texts ──

/** A text has up to 10 million characters: at most so many characters are in memory at once. */
const textsOfPage = 10

interface TextsPage {
  readonly data: readonly unknown[]
  readonly next_cursor: string | null
}

async function exportTexts(
  client: ServerClient,
  { collection, filter }: ExportOptions,
  path: string,
): Promise<Exported> {
  const total = filter === '' ? await documentsIn(client, collection) : null
  const progress = showProgress({ unit: 'documents', total, out: process.stderr })
  const interrupt = listenForInterrupt()
  const target = path === '-' ? standardOutput() : await unfinishedFile(path, { collection, filter })
  let { cursor } = target
  let written = 0
  try {
    while (cursor !== null && !interrupt.isRequested()) {
      const page = await textsAfter(client, { collection, filter, cursor })
      await target.append(page)
      for (const _ of page.data) progress.step('')
      written += page.data.length
      cursor = page.next_cursor
    }
    if (cursor === null) await target.finish()
    return { written, kept: target.kept, isInterrupted: cursor !== null }
  } finally {
    progress.end()
    interrupt.ignore()
  }
}

async function documentsIn(client: ServerClient, collection: string): Promise<number> {
  const response = await client.send({
    method: 'GET',
    path: `/collections/${encodeURIComponent(collection)}`,
    query: {},
  })
  if (!response.ok) throw new StartFailure(`${client.address} rejects the request: ${response.message}`)
  return (response.body as { readonly data: readonly CollectionResponse[] }).data[0]?.documents ?? 0
}

async function textsAfter(
  client: ServerClient,
  { collection, filter, cursor }: { readonly collection: string; readonly filter: string; readonly cursor: string },
): Promise<TextsPage> {
  const query = { collection_name: collection, limit: String(textsOfPage), cursor }
  const body = { tag_info: filter }
  const response = await client.send({ method: 'POST', path: '/get_content_by_tag', query, body })
  if (!response.ok) throw new StartFailure(`${client.address} rejects the request: ${response.message}`)
  return response.body as TextsPage
}

/** Destination of texts. `cursor` is where to continue. */
interface Target {
  readonly cursor: string | null
  /** Documents that an earlier run wrote. */
  readonly kept: number
  append(page: TextsPage): Promise<void>
  finish(): Promise<void>
}

const linesOfPage = (page: TextsPage): string => page.data.map((document) => `${JSON.stringify(document)}\n`).join('')

function standardOutput(): Target {
  return {
    cursor: '',
    kept: 0,
    append: (page) =>
      new Promise((resolve, reject) =>
        process.stdout.write(linesOfPage(page), (error) => (error ? reject(error) : resolve())),
      ),
    finish: async () => undefined,
  }
}

interface Bookmark {
  readonly collection: string
  readonly filter: string
  readonly cursor: string
  readonly bytes: number
  readonly documents: number
}

/**
 * A file under another name until it is complete, and its progress beside it: an interrupted export continues there. A complete file is
 * written again from the beginning.
 */
async function unfinishedFile(path: string, what: Pick<Bookmark, 'collection' | 'filter'>): Promise<Target> {
  await mustBeReplaceable(path)
  const part = `${path}.part`
  const mark = `${path}.part.json`
  const before = await bookmarkIn(mark, what)
  const file = await open(part, before === null ? 'w' : 'r+').catch((error: unknown) => cannotWrite(path, error))
  let { bytes, documents } = before ?? { bytes: 0, documents: 0 }
  // What a killed run wrote after its last progress mark is written again.
  await file.truncate(bytes)
  return {
    cursor: before?.cursor ?? '',
    kept: documents,
    async append(page) {
      const lines = Buffer.from(linesOfPage(page))
      await file.write(lines, 0, lines.length, bytes)
      bytes += lines.length
      documents += page.data.length
      if (page.next_cursor === null) return
      await file.sync()
      await writeFile(`${mark}.new`, JSON.stringify({ ...what, cursor: page.next_cursor, bytes, documents }))
      await rename(`${mark}.new`, mark)
    },
    async finish() {
      await file.sync()
      await file.close()
      await rename(part, path)
      await rm(mark, { force: true })
    },
  }
}

async function bookmarkIn(mark: string, what: Pick<Bookmark, 'collection' | 'filter'>): Promise<Bookmark | null> {
  const text = await readFile(mark, 'utf8').catch(() => undefined)
  if (text === undefined) return null
  const found = JSON.parse(text) as Bookmark
  return found.collection === what.collection && found.filter === what.filter ? found : null
}

// ── files ──

async function exportFiles(client: ServerClient, { collection }: ExportOptions, folder: string): Promise<Exported> {
  const total = await documentsIn(client, collection)
  const progress = showProgress({ unit: 'documents', total, out: process.stderr })
  const interrupt = listenForInterrupt()
  await mkdir(folder, { recursive: true })
  let written = 0
  let kept = 0
  try {
    for await (const page of detailsOf(client, collection, 'must-be-there'))
      for (const document of page) {
        if (interrupt.isRequested()) return { written, kept, isInterrupted: true }
        if (await exportFile(client, collection, document, folder)) written++
        else kept++
        progress.step(document.doc_id)
      }
    return { written, kept, isInterrupted: false }
  } finally {
    progress.end()
    interrupt.ignore()
  }
}

/** @returns whether it was missing before */
async function exportFile(
  client: ServerClient,
  collection: string,
  { doc_id, metadata, sha256 }: DocumentDetailsResponse,
  folder: string,
): Promise<boolean> {
  const path = join(folder, fileNameFor(doc_id))
  const sidecar = `${JSON.stringify({ ...metadata, doc_id }, null, 2)}\n`
  if (
    (await readFile(`${path}${sidecarEnding}`, 'utf8').catch(() => '')) === sidecar &&
    (await hashAt(path)) === sha256
  )
    return false
  const query = { collection_name: collection, id_value: doc_id }
  const response = await client.download({ method: 'GET', path: '/get_document_file', query })
  const body = (response.body ?? new Blob([]).stream()) as ReadableStream
  await pipeline(Readable.fromWeb(body), createWriteStream(`${path}.part`))
  await rename(`${path}.part`, path)
  await writeFile(`${path}${sidecarEnding}`, sidecar)
  return true
}

/** A doc_id can be any text: characters with a meaning in paths become `%…`, and long ones end in their hash. */
export function fileNameFor(docId: string): string {
  const plain = docId.replace(/[^\p{L}\p{N}\p{M}_. -]/gu, (letter) => encodeURIComponent(letter.toWellFormed()))
  const safe = plain.replace(/^[. -]/, (first) => `%${first.charCodeAt(0).toString(16).toUpperCase()}`)
  if (Buffer.byteLength(safe) <= 200) return safe
  const hash = createHash('sha256').update(docId).digest('hex').slice(0, 16)
  return `${[...safe].slice(0, 40).join('')}…${hash}`
}

async function hashAt(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
    return hash.digest('hex')
  } catch {
    return undefined
  }
}
