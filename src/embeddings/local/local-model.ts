import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { ModelError } from '../call-model.ts'
import type { Embedder, EmbedOptions } from '../embedder.ts'
import type { ModelOrder, ModelReport } from './model-messages.ts'
import { type Pooling, unitVector } from './pool-vectors.ts'
import { readModelFolder } from './read-model-folder.ts'

/** A local model, from the settings. */
export interface LocalModelOptions {
  readonly folder: string
  /** null: the default of the model. */
  readonly pooling: Pooling | null
  /** Dimensions that are kept; null: all. */
  readonly dimensions: number | null
  readonly textsOfRequest: number
  readonly timeoutMs: number
  readonly queryTimeoutMs: number
  /** null: the default of the model. */
  readonly textPrefix: string | null
  readonly queryPrefix: string | null
  /** Entry file of @huggingface/transformers; by default the installed one. */
  readonly packageEntry?: string
}

const packageName = '@huggingface/transformers'

/**
 * A model that runs in a separate process: it may use up its memory, hang or crash without affecting the server. The process
 * starts with the first text, and again after it died.
 *
 * @throws StartFailure when the package or the model does not exist
 */
export async function openLocalModel(options: LocalModelOptions): Promise<Embedder> {
  const folder = await readModelFolder(options.folder, options.pooling)
  const packageEntry = options.packageEntry ?? findPackage()
  const textPrefix = options.textPrefix ?? folder.textPrefix
  const { textsOfRequest, timeoutMs, queryTimeoutMs, dimensions } = options
  // The other half of the processors is left for requests.
  const threads = Math.max(1, Math.floor(availableParallelism() / 2))
  const process = new ModelProcess({ kind: 'load', packageEntry, folder, threads }, timeoutMs)
  return {
    model: { name: folder.name, requestedLength: dimensions, textPrefix },
    textsOfRequest,
    timeoutMs,
    queryTimeoutMs,
    textPrefix,
    queryPrefix: options.queryPrefix ?? folder.queryPrefix,
    async embed(texts, embedding) {
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += textsAtOnce) {
        const some = await process.embed(texts.slice(from, from + textsAtOnce), embedding)
        if (!some.ok) return some
        vectors.push(...(dimensions === null ? some.value : some.value.map((vector) => unitVector(vector, dimensions))))
      }
      return succeed(vectors)
    },
    close: () => process.close(),
  }
}

/** More texts are not faster on a processor, and a search waits until they are done. */
const textsAtOnce = 4

function findPackage(): string {
  try {
    return createRequire(import.meta.url).resolve(packageName)
  } catch {
    throw new StartFailure(
      `DOCKET_EMBEDDINGS_FOLDER needs the package ${packageName}, which Docket does not bring along. ` +
        `Install it beside Docket: npm install --no-save --ignore-scripts ${packageName}@4`,
      { exitCode: 2 },
    )
  }
}

type Made = Result<readonly Float32Array[], ModelError>

interface Job {
  readonly texts: readonly string[]
  readonly options: EmbedOptions
  readonly settle: (made: Made) => void
  /** Nobody waits for it any more. */
  isOver: boolean
}

/** Embeds texts one after the other, texts of searches first. */
class ModelProcess {
  readonly #toLoad: ModelOrder & { readonly kind: 'load' }
  /** The process is killed when it takes longer for a few texts. */
  readonly #maxMs: number
  readonly #waiting: Job[] = []
  #running: Job | undefined
  #child: ChildProcess | undefined
  #isLoaded = false
  #isClosed = false
  #count = 0
  /** The end of its standard error. */
  #lastWords = ''

  constructor(toLoad: ModelOrder & { readonly kind: 'load' }, maxMs: number) {
    this.#toLoad = toLoad
    this.#maxMs = maxMs
  }

  embed(texts: readonly string[], options: EmbedOptions): Promise<Made> {
    if (this.#isClosed || options.stop?.aborted === true)
      return Promise.resolve(fail({ kind: 'unreachable', detail: 'nobody waits for the model any more' }))
    return new Promise((resolve) => {
      const job: Job = {
        texts,
        options,
        isOver: false,
        settle: (made) => {
          job.isOver = true
          clearTimeout(timer)
          options.stop?.removeEventListener('abort', stop)
          resolve(made)
        },
      }
      const stop = (): void => job.settle(fail({ kind: 'unreachable', detail: 'it was stopped' }))
      // For documents the time counts from the start of the work; for a search, from the call.
      const timer = options.isUrgent === true ? setTimeout(() => job.settle(tooSlow), options.timeoutMs) : undefined
      options.stop?.addEventListener('abort', stop)
      if (options.isUrgent === true) this.#waiting.unshift(job)
      else this.#waiting.push(job)
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { settle } of this.#waiting.splice(0))
      settle(fail({ kind: 'unreachable', detail: 'the model was closed' }))
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    await new Promise((resolve) => {
      child.once('exit', resolve)
      child.kill('SIGKILL')
    })
  }

  #next(): void {
    if (this.#running !== undefined || this.#isClosed) return
    while (this.#waiting[0]?.isOver === true) this.#waiting.shift()
    if (this.#waiting.length === 0) return
    this.#child ??= this.#start()
    if (!this.#isLoaded) return
    const job = this.#waiting.shift()
    if (job === undefined) return
    this.#running = job
    const id = ++this.#count
    this.#child.send({ kind: 'embed', id, texts: job.texts } satisfies ModelOrder, () => undefined)
    this.#limit(job)
  }

  /** A process over the limit hangs, or is too slow to be useful; the text of a search may be the cause, too. */
  #limit(job: Job): void {
    const child = this.#child
    const timer = setTimeout(() => {
      if (this.#running !== job) return
      if (!job.isOver) job.settle(tooSlow)
      child?.kill('SIGKILL')
    }, this.#maxMs)
    timer.unref()
  }

  #start(): ChildProcess {
    const child = startChild()
    this.#isLoaded = false
    this.#lastWords = ''
    child.on('message', (report) => this.#receiveReport(report as ModelReport))
    child.on('error', () => undefined)
    child.stderr?.on('data', (words: Buffer) => {
      this.#lastWords = (this.#lastWords + words.toString('utf8')).slice(-500)
    })
    child.once('exit', (code, signal) => this.#bury(child, signal ?? `code ${code}`))
    child.send(this.#toLoad, () => undefined)
    return child
  }

  #receiveReport(report: ModelReport): void {
    switch (report.kind) {
      case 'loaded':
        this.#isLoaded = true
        break
      case 'not-loaded':
        this.#giveUp(`the model cannot be loaded: ${report.detail}`)
        this.#child?.kill('SIGKILL')
        return
      case 'embedded':
        if (report.id === this.#count) this.#settle(vectorsOf(report, this.#running?.texts.length ?? 0))
        break
      case 'refused':
        if (report.id === this.#count) this.#settle(fail({ kind: 'refused', detail: report.detail }))
        break
    }
    this.#next()
  }

  #settle(made: Made): void {
    const job = this.#running
    this.#running = undefined
    if (job?.isOver === false) job.settle(made)
  }

  /** The texts may have caused the death of the process: they are retried one by one, and given up after several attempts. */
  #bury(child: ChildProcess, how: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    const words = `the process of the model ended (${how})${this.#lastWords === '' ? '' : `: ${this.#lastWords.trim()}`}`
    if (this.#isLoaded) this.#settle(fail({ kind: 'refused', detail: words }))
    else this.#giveUp(words)
    this.#isLoaded = false
    this.#next()
  }

  /** The model is at fault: all waiting calls fail, and the next call tries it again. */
  #giveUp(detail: string): void {
    for (const job of this.#waiting.splice(0)) if (!job.isOver) job.settle(fail({ kind: 'failed', detail }))
  }
}

const tooSlow: Made = fail({ kind: 'too-slow', detail: 'it did not respond in time' })

function vectorsOf({ numbers, length }: ModelReport & { readonly kind: 'embedded' }, count: number): Made {
  const wrong = (detail: string): Made => fail({ kind: 'wrong-response', detail })
  if (length === 0 || numbers.length !== count * length)
    return wrong(`it gave ${numbers.length} numbers for ${count} texts`)
  if (!numbers.every(Number.isFinite)) return wrong('it gave numbers that are none')
  return succeed(Array.from({ length: count }, (_, at) => numbers.slice(at * length, (at + 1) * length)))
}

const childProgram = fileURLToPath(new URL('./model-child.ts', import.meta.url))

/** It may read files, and load the addon that computes; it may not write, start processes or threads, or use the network. */
function startChild(): ChildProcess {
  return fork(childProgram, [], {
    execPath: process.execPath,
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--allow-addons',
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    env: {},
  })
}
