import { type Command, Option } from 'commander'
import { StartFailure } from '../../kernel/start-failure.ts'
import { asWhole } from '../option-values.ts'
import { findSources, linesOf, readSidecar, type Source } from './find-sources.ts'
import { type KnownDocument, readKnownDocuments } from './known-documents.ts'
import { type Interrupt, interruptedExitCode, listenForInterrupt } from './listen-for-interrupt.ts'
import { readLineDocument } from './read-line-document.ts'
import { asMetadata, type SentMetadata } from './read-metadata-option.ts'
import { type DocumentToSend, isThere, type Sent, sendDocument } from './send-document.ts'
import { openServerClient, type ServerClient, type ServerOption } from './server-client.ts'
import { type Progress, showProgress } from './show-progress.ts'
import { overLimit, readLimits, type SizeLimits } from './size-limits.ts'

interface LoadOptions extends ServerOption {
  readonly collection: string
  readonly metadata?: SentMetadata
  readonly prefix: string
  readonly parallel: number
  readonly skipUnsupported?: true
}

/** `docket documents load …` */
export function registerLoad(documents: Command, serverOption: () => Option): void {
  documents
    .command('load')
    .description('load files, folders and NDJSON into a collection; run again, it loads what is missing or has changed')
    .argument('<paths...>', 'files, folders, .ndjson or .jsonl with a text on each line; - is standard input')
    .requiredOption('--collection <name>', 'made when it is not there')
    .addOption(
      new Option('--metadata <key=value>', 'for every document, again and again; or a JSON object').argParser(
        asMetadata,
      ),
    )
    .option('--prefix <text>', 'begins the doc_id of every file, which is its path within the folder', '')
    .addOption(new Option('--parallel <number>', 'documents at once').argParser(asWhole(1, 64)).default(4))
    .option('--skip-unsupported', 'skip files of unsupported formats without an error')
    .addOption(serverOption())
    .addHelpText('after', sidecarHelp)
    .action(async (paths: readonly string[], options: LoadOptions) => {
      const client = openServerClient(options)
      const sources = await findSources(paths, options.prefix)
      const counts = await loadAll(client, sources, options)
      console.log(summaryOf(options.collection, counts))
      if (counts.isInterrupted) {
        console.error('Interrupted: run the same command again to go on.')
        process.exitCode = interruptedExitCode
      } else if (counts.refused > 0) process.exitCode = 1
    })
}

const sidecarHelp = `
The metadata of report.pdf may stand beside it in report.pdf.metadata.json.
A line of NDJSON is an object with text, and id or doc_id; every other member is metadata.
A file is named by its path, so that it is replaced when it has changed.`

export interface LoadCounts {
  readonly created: number
  readonly replaced: number
  readonly unchanged: number
  readonly refused: number
  readonly skipped: number
  readonly isInterrupted: boolean
}

function summaryOf(collection: string, { isInterrupted: _, ...counts }: LoadCounts): string {
  const parts = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'created')
  return `${collection}: ${parts.map(([name, count]) => `${count} ${name}`).join(', ')}`
}

type Loading = Pick<LoadOptions, 'collection' | 'metadata' | 'parallel' | 'skipUnsupported'>

/** Loads what the server does not have already. Rejected documents are reported and counted; the others are loaded. */
export async function loadAll(client: ServerClient, sources: readonly Source[], options: Loading): Promise<LoadCounts> {
  const interrupt = listenForInterrupt()
  const limits = await readLimits(client)
  const known = await readKnownDocuments(client, options.collection)
  const progress = showProgress({ unit: 'documents', total: totalOf(sources), out: process.stderr })
  try {
    return await new Load(client, options, { known, limits, progress, interrupt }).run(sources)
  } finally {
    progress.end()
    interrupt.ignore()
  }
}

function totalOf(sources: readonly Source[]): number | null {
  const counts = sources.map((source) => (source.kind === 'file' ? 1 : source.count))
  return counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

interface LoadState {
  readonly known: ReadonlyMap<string, KnownDocument>
  readonly limits: SizeLimits
  readonly progress: Progress
  readonly interrupt: Interrupt
}

/** A document, or the reason why there is none. */
type Item =
  | { readonly name: string; readonly document: DocumentToSend }
  | { readonly name: string; readonly error: string }

class Load {
  readonly #client: ServerClient
  readonly #options: Loading
  readonly #state: LoadState
  readonly #counts = { created: 0, replaced: 0, unchanged: 0, refused: 0, skipped: 0 }
  #failure: unknown

  constructor(client: ServerClient, options: Loading, state: LoadState) {
    this.#client = client
    this.#options = options
    this.#state = state
  }

  async run(sources: readonly Source[]): Promise<LoadCounts> {
    const items = this.#itemsOf(sources)
    const { interrupt, progress } = this.#state
    const work = async (): Promise<void> => {
      while (!interrupt.isRequested() && this.#failure === undefined) {
        // An async generator yields its items one by one, however many callers there are.
        const { value: item, done } = await items.next()
        if (done === true) return
        await this.#load(item)
        progress.step(item.name)
      }
    }
    await Promise.all(
      Array.from({ length: this.#options.parallel }, () =>
        work().catch((error: unknown) => {
          this.#failure ??= error
        }),
      ),
    )
    await items.return(undefined)
    if (this.#failure !== undefined) throw withAdvice(this.#failure, this.#counts)
    return { ...this.#counts, isInterrupted: interrupt.isRequested() }
  }

  async *#itemsOf(sources: readonly Source[]): AsyncGenerator<Item, undefined> {
    const { metadata = {} } = this.#options
    for (const source of sources) {
      if (source.kind === 'file') {
        const { path, docId, size } = source
        const own = { ...metadata, doc_id: docId, ...(await readSidecar(path)) }
        yield { name: path, document: { kind: 'file', path, size, metadata: own } }
      } else {
        for await (const { number, text: line } of linesOf(source.path)) {
          const name = `${source.path === '-' ? 'standard input' : source.path}, line ${number}`
          const read = readLineDocument(line)
          if (read.ok) {
            const document = { text: read.value.text, metadata: { ...metadata, ...read.value.metadata } }
            yield { name, document: { kind: 'text', ...document } }
          } else yield { name, error: read.error }
        }
      }
    }
  }

  async #load(item: Item): Promise<void> {
    if ('error' in item) return this.#count(item.name, { result: 'refused', status: 400, message: item.error })
    this.#count(item.name, await this.#send(item.document).catch(asRejected))
  }

  async #send(document: DocumentToSend): Promise<Sent> {
    const tooLarge = overLimit(document, this.#state.limits)
    if (tooLarge !== null) return { result: 'refused', status: 413, message: tooLarge }
    const docId = document.metadata['doc_id']
    const known = typeof docId === 'string' ? this.#state.known.get(docId) : undefined
    if (await isThere(document, known)) return { result: 'unchanged' }
    return sendDocument(this.#client, this.#options.collection, document)
  }

  #count(name: string, sent: Sent): void {
    if (sent.result !== 'refused') {
      this.#counts[sent.result]++
      return
    }
    const isSkipped = sent.status === 415 && this.#options.skipUnsupported === true
    this.#counts[isSkipped ? 'skipped' : 'refused']++
    this.#state.progress.note(`${isSkipped ? 'skipped' : 'refused'}  ${name}: ${sent.message}`)
  }
}

/** A file that is gone or not readable is reported and skipped; any other error ends the run. */
function asRejected(error: unknown): Sent {
  if (!(error instanceof Error && 'syscall' in error && 'path' in error)) throw error
  return {
    result: 'refused',
    status: 0,
    message: `it cannot be read (${'code' in error ? error.code : error.message})`,
  }
}

function withAdvice(failure: unknown, { created, replaced, unchanged }: Omit<LoadCounts, 'isInterrupted'>): unknown {
  const done = created + replaced + unchanged
  if (!(failure instanceof StartFailure) || done === 0) return failure
  const advice = `${done} documents are loaded; run the same command again to go on.`
  return new StartFailure(`${failure.message}\n${advice}`, { exitCode: failure.exitCode, cause: failure })
}
