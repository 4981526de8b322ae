import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import type { SocketAddress } from '../processes/serve-socket.ts'
import type { Observe } from '../telemetry/observation.ts'
import { type NewsFromWorker, NewsRelay, type NewsToWorker } from './relay-news.ts'
import { newSocketAddress, removeSocketFolder } from './socket-address.ts'

/** Messages of the first process to a worker. The first one says what it is for. */
export type ToWorker =
  | { readonly kind: 'serve'; readonly connectionString: string; readonly searchProcess: SocketAddress | null }
  | { readonly kind: 'search'; readonly connectionString: string; readonly address: SocketAddress }
  | { readonly kind: 'stop' }
  | NewsToWorker

/** Messages of a worker to the first process. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly address: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly exitCode: 1 | 2 }
  | NewsFromWorker

export interface Serving {
  readonly address: string
  stop(): Promise<void>
}

export interface WorkerOptions {
  readonly count: number
  readonly connectionString: string
  /** Whether one process more has the search index for all workers; otherwise each has its own. */
  readonly hasSearchProcess: boolean
  /** After this time a worker that should stop is killed. Workers limit their requests themselves; this is for a worker that hangs. */
  readonly stopTimeoutMs: number
  readonly observe: Observe
  readonly clock: Clock
}

/** Pauses before a dead worker is replaced, by the number of workers that died early in succession, in milliseconds. */
const backOffMs = [100, 500, 1_000, 2_000, 5_000, 10_000] as const
/** A worker that ran this long did not die because of its start. */
const youngMs = 10_000

/**
 * Starts the processes that serve one port together, and before them the search process, and replaces those that die.
 *
 * @throws StartFailure if one of them cannot start
 */
export async function serveWithWorkers(options: WorkerOptions): Promise<Serving> {
  const { connectionString, count } = options
  const started = new ReplacedProcesses(options)
  const searchProcess = options.hasSearchProcess ? newSocketAddress() : null
  const stop = async (): Promise<void> => {
    // Workers finish their requests, and these search.
    await started.stop('serve')
    await started.stop('search')
    started.close()
    if (searchProcess !== null) removeSocketFolder(searchProcess)
  }
  try {
    if (searchProcess !== null) await started.start({ kind: 'search', connectionString, address: searchProcess })
    const serve = { kind: 'serve', connectionString, searchProcess } as const
    const addresses = await Promise.all(Array.from({ length: count }, () => started.start(serve)))
    return { address: addresses[0] ?? '', stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What a worker is for. */
export type WorkerRole = Extract<ToWorker, { readonly kind: 'serve' | 'search' }>

/** Processes of this one. If one dies, another with the same role is started. */
class ReplacedProcesses {
  readonly #options: WorkerOptions
  readonly #roles = new Map<Worker, WorkerRole['kind']>()
  readonly #stopping = new Set<WorkerRole['kind']>()
  readonly #news = new NewsRelay(sendTo)
  readonly #killAll = (): void => {
    for (const worker of this.#roles.keys()) worker.process.kill('SIGKILL')
  }

  constructor(options: WorkerOptions) {
    this.#options = options
    // However this process ends, unless it is killed; then the workers notice that it is gone.
    process.once('exit', this.#killAll)
  }

  /** @returns its address when it serves */
  start(role: WorkerRole, diedYoung = 0): Promise<string> {
    const { clock } = this.#options
    const startedMs = clock.nowMs()
    const worker = cluster.fork()
    this.#roles.set(worker, role.kind)
    if (role.kind === 'serve') this.#news.add(worker)
    const serving = requestServing(worker, role)
    worker.once('exit', (code, signal) => {
      this.#roles.delete(worker)
      if (this.#stopping.has(role.kind)) return
      const young = clock.nowMs() - startedMs < youngMs ? diedYoung + 1 : 0
      this.#replace(role, young, { processId: worker.process.pid ?? 0, how: signal ?? `exit code ${code}` })
    })
    return serving
  }

  #replace(role: WorkerRole, diedYoung: number, died: { readonly processId: number; readonly how: string }): void {
    const nextInMs = backOffMs[Math.min(diedYoung, backOffMs.length - 1)] ?? 0
    const kind = role.kind === 'search' ? 'search-process-died' : 'worker-died'
    this.#options.observe({ kind, ...died, nextInMs })
    void this.#startLater(role, diedYoung, nextInMs)
  }

  async #startLater(role: WorkerRole, diedYoung: number, waitMs: number): Promise<void> {
    await delay(waitMs)
    // The exit of the new process causes another replacement if it fails too.
    if (!this.#stopping.has(role.kind)) await this.start(role, diedYoung).catch(() => undefined)
  }

  async stop(kind: WorkerRole['kind']): Promise<void> {
    this.#stopping.add(kind)
    const workers = [...this.#roles].flatMap(([worker, role]) => (role === kind ? [worker] : []))
    await Promise.all(workers.map((worker) => stopWorker(worker, this.#options.stopTimeoutMs)))
  }

  close(): void {
    process.off('exit', this.#killAll)
  }
}

function requestServing(worker: Worker, role: WorkerRole): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'serving') resolve(message.address)
      if (message.kind === 'failed') reject(new StartFailure(message.sentence, { exitCode: message.exitCode }))
    })
    worker.once('exit', (code, signal) => reject(new Error(`a worker process ended in its start (${signal ?? code})`)))
    sendTo(worker, role)
  })
}

async function stopWorker(worker: Worker, timeoutMs: number): Promise<void> {
  const gone = new Promise((resolve) => worker.once('exit', resolve))
  if (worker.isDead()) return
  sendTo(worker, { kind: 'stop' })
  const late = delay(timeoutMs, 'late', { ref: false })
  if ((await Promise.race([gone, late])) !== 'late') return
  worker.process.kill('SIGKILL')
  await gone
}

function sendTo(worker: Worker, message: ToWorker): void {
  // If the worker has just died, its exit event is handled.
  worker.send(message, () => undefined)
}
