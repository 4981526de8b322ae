import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import type { Observe } from '../telemetry/observation.ts'

/** Messages of the first process to a worker. */
export type ToWorker = { readonly kind: 'serve'; readonly connectionString: string } | { readonly kind: 'stop' }

/** Messages of a worker to the first process. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly address: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly exitCode: 1 | 2 }

export interface Serving {
  readonly address: string
  stop(): Promise<void>
}

export interface WorkerOptions {
  readonly count: number
  readonly connectionString: string
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
 * Starts the processes that serve one port together, and replaces those that die.
 *
 * @throws StartFailure if the first one cannot serve
 */
export async function serveWithWorkers(options: WorkerOptions): Promise<Serving> {
  let isStopping = false
  const workers = new Set<Worker>()

  const startWorker = async (diedYoung: number): Promise<string> => {
    const startedMs = options.clock.nowMs()
    const worker = cluster.fork()
    workers.add(worker)
    const serving = requestServing(worker, options.connectionString)
    worker.once('exit', (code, signal) => {
      workers.delete(worker)
      if (isStopping) return
      const young = options.clock.nowMs() - startedMs < youngMs ? diedYoung + 1 : 0
      const nextInMs = backOffMs[Math.min(young, backOffMs.length - 1)] ?? 0
      options.observe({
        kind: 'worker-died',
        processId: worker.process.pid ?? 0,
        how: signal ?? `exit code ${code}`,
        nextInMs,
      })
      void replaceLater(young, nextInMs)
    })
    return serving
  }
  const replaceLater = async (diedYoung: number, waitMs: number): Promise<void> => {
    await delay(waitMs)
    // The exit of the new worker causes another replacement if it fails too.
    if (!isStopping) await startWorker(diedYoung).catch(() => undefined)
  }

  const killAll = (): void => {
    for (const worker of workers) worker.process.kill('SIGKILL')
  }
  // However this process ends, unless it is killed; then the workers notice that it is gone.
  process.once('exit', killAll)
  const stop = async (): Promise<void> => {
    isStopping = true
    await Promise.all([...workers].map((worker) => stopWorker(worker, options.stopTimeoutMs)))
    process.off('exit', killAll)
  }
  try {
    const addresses = await Promise.all(Array.from({ length: options.count }, () => startWorker(0)))
    return { address: addresses[0] ?? '', stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** @returns the address when the worker serves it */
function requestServing(worker: Worker, connectionString: string): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'serving') resolve(message.address)
      else reject(new StartFailure(message.sentence, { exitCode: message.exitCode }))
    })
    worker.once('exit', (code, signal) => reject(new Error(`a worker process ended in its start (${signal ?? code})`)))
    sendTo(worker, { kind: 'serve', connectionString })
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
