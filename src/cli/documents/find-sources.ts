import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { exactObjectOf } from '../../kernel/exact-json.ts'
import { StartFailure } from '../../kernel/start-failure.ts'

/** What to load: a file as a document, or a file with one document per line. */
export type Source =
  | { readonly kind: 'file'; readonly path: string; readonly docId: string; readonly size: number }
  /** `-` is standard input. */
  | { readonly kind: 'lines'; readonly path: string; readonly count: number | null }

/** `report.pdf.metadata.json` holds the metadata of `report.pdf`. */
export const sidecarEnding = '.metadata.json'

/**
 * The documents of paths: a file, every file of a folder and its subfolders, or an NDJSON of texts (a path that ends in .ndjson or .jsonl,
 * or `-`). Names that begin with a dot are skipped, and so are links: they may lead anywhere.
 *
 * @param prefix begins every doc_id that is made from a path
 * @throws StartFailure if a path does not exist, or two files would be one document
 */
export async function findSources(paths: readonly string[], prefix: string): Promise<readonly Source[]> {
  const sources: Source[] = []
  for (const path of paths) sources.push(...(await sourcesAt(path, prefix)))
  const byDocId = Map.groupBy(
    sources.filter((source) => source.kind === 'file'),
    ({ docId }) => docId,
  )
  for (const [docId, [one, other]] of byDocId)
    if (one !== undefined && other !== undefined && one.path !== other.path)
      throw new StartFailure(
        `${one.path} and ${other.path} would both be the document ${docId}: load them apart, one with --prefix.`,
        { exitCode: 2 },
      )
  return sources
}

async function sourcesAt(path: string, prefix: string): Promise<readonly Source[]> {
  if (path === '-') return [{ kind: 'lines', path, count: null }]
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'is not there' : `cannot be read (${error.code})`
    throw new StartFailure(`${path} ${why}: name files and folders that this account can read.`, { exitCode: 2 })
  })
  if (found.isDirectory()) return filesIn(path, prefix)
  if (/\.(ndjson|jsonl)$/i.test(path)) return [{ kind: 'lines', path, count: await countLines(path) }]
  return [{ kind: 'file', path, docId: `${prefix}${basename(path)}`, size: found.size }]
}

async function filesIn(folder: string, prefix: string): Promise<readonly Source[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: Source[] = []
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const steps = relative(folder, path).split(sep)
    if (!entry.isFile() || entry.name.endsWith(sidecarEnding) || steps.some((step) => step.startsWith('.'))) continue
    // One spelling on every system: macOS returns decomposed names (NFD).
    const docId = `${prefix}${steps.join('/').normalize('NFC')}`
    files.push({ kind: 'file', path, docId, size: (await stat(path)).size })
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

async function countLines(path: string): Promise<number> {
  let count = 0
  for await (const _ of linesOf(path)) count++
  return count
}

/** Lines that are not blank, and their numbers from 1. */
export async function* linesOf(path: string): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  const input = path === '-' ? process.stdin : createReadStream(path)
  let number = 0
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (text.trim() !== '') yield { number, text }
  }
}

/** The metadata file beside a file. @throws StartFailure if it is not a JSON object */
export async function readSidecar(path: string): Promise<Readonly<Record<string, unknown>>> {
  const sidecar = `${path}${sidecarEnding}`
  const text = await readFile(sidecar, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new StartFailure(`${sidecar} cannot be read (${error.message}).`, { cause: error })
  })
  if (text === null) return {}
  const metadata = exactObjectOf(text)
  if (metadata !== undefined) return metadata
  throw new StartFailure(
    `${sidecar} does not contain a JSON object: write the metadata of the file into it, or remove it.`,
  )
}
