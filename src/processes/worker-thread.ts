import { getCompileCacheDir } from 'node:module'
import { basename } from 'node:path'
import { parentPort, Worker } from 'node:worker_threads'

/** What a thread can do: a function for each kind of call. Arguments and results are copied, shared buffers are not. */
// biome-ignore lint/suspicious/noExplicitAny: the only type that every function's parameter is assignable to
type Work = Readonly<Record<string, (input: any) => unknown>>

interface Call {
  readonly id: number
  readonly kind: string
  readonly input: unknown
}
/** The thread has loaded its modules. */
const READY = 'ready'
/** The thread is to end after the calls before it. */
const END = 'end'
type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Pick<Error, 'name' | 'message' | 'stack'> }

export interface Thread<W extends Work> {
  /** Rejects when the work threw, or when the thread ended before it responded. Calls run in their order. */
  call<K extends keyof W & string>(kind: K, input: Parameters<W[K]>[0]): Promise<Awaited<ReturnType<W[K]>>>
  /** Ends it as if it had died. */
  end(): void
  /** Resolves when it has ended. Calls that it does not finish within a second are rejected. */
  close(): Promise<void>
}

export interface ThreadOptions {
  /** What the module gets as `workerData`. */
  readonly data?: unknown
  /**
   * A thread without calls for so long ends, and gives its memory back; the next call starts another one. Only for work
   * that keeps no state.
   */
  readonly endsAfterMs?: number
}

/** One run of a thread, with the calls that it has not responded to. */
interface Run {
  readonly worker: Worker
  /** Resolves when its modules are loaded, or when it ended before. */
  readonly loaded: Promise<unknown>
  readonly ended: Promise<unknown>
  readonly open: Map<number, PromiseWithResolvers<unknown> & { readonly kind: string }>
  idle?: NodeJS.Timeout
}

/**
 * A thread that serves calls, started by the first one. When it dies (out of memory), its pending calls are
 * rejected and `onLost` is called, so that it can get its state again; the next call starts a new thread.
 *
 * @param file module that calls `serveCalls`
 */
export function startThread<W extends Work>(
  file: URL,
  onLost: () => void = () => undefined,
  { data = null, endsAfterMs }: ThreadOptions = {},
): Thread<W> {
  let nextId = 1
  let isClosing = false
  let current: Run | undefined

  function start(): Run {
    // Tools of the operating system display the name, up to 15 characters of it.
    const name = basename(file.pathname, '.ts')
    const worker = new Worker(file, { name, env: threadEnvironment(), workerData: data })
    const loaded = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const run: Run = { worker, loaded: loaded.promise, ended: ended.promise, open: new Map() }
    worker.unref()
    worker.on('message', (reply: Reply | typeof READY) => {
      if (reply === READY) return loaded.resolve()
      settle(run, reply)
      if (run.open.size === 0) rest(run)
    })
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      loaded.resolve()
      ended.resolve()
      clearTimeout(run.idle)
      // One that was let go is not lost: it has no calls, and perhaps another one serves already.
      if (current !== run) return
      current = undefined
      if (!isClosing) onLost()
      for (const { reject, kind } of run.open.values())
        reject(new Error(`a thread of the index ended during the call "${kind}"`, { cause }))
    })
    return run
  }

  /** Without calls it keeps no process alive, and ends after a while if it may. */
  function rest(run: Run): void {
    run.worker.unref()
    if (endsAfterMs === undefined) return
    run.idle = setTimeout(() => {
      current = undefined
      void finish(run)
    }, endsAfterMs).unref()
  }

  return {
    async call(kind, input) {
      if (isClosing) throw new Error('the index is closed')
      const id = nextId++
      const waiting = { ...Promise.withResolvers<unknown>(), kind }
      current ??= start()
      clearTimeout(current.idle)
      current.open.set(id, waiting)
      current.worker.ref()
      current.worker.postMessage({ id, kind, input } satisfies Call)
      return (await waiting.promise) as never
    },
    end: () => void (current && terminate(current)),
    async close() {
      isClosing = true
      if (current) await finish(current)
    },
  }
}

/** Milliseconds that a loaded thread has for its last calls. */
const FINISH_MS = 1000

/**
 * Lets a thread end by itself. Only one that is still busy after a second is terminated: V8 does not always survive that, and the process
 * ends with it.
 */
async function finish(run: Run): Promise<void> {
  // Who waits for the end must not be left by a process that has nothing else to do.
  run.worker.ref()
  run.worker.postMessage(END)
  await run.loaded
  const late = setTimeout(() => void terminate(run), FINISH_MS)
  await run.ended
  clearTimeout(late)
}

/** Not while it loads modules, where it may end the process (denoland/rusty_v8#830). */
async function terminate(run: Run): Promise<void> {
  await run.loaded
  await run.worker.terminate()
}

function settle({ open }: Run, reply: Reply): void {
  const waiting = open.get(reply.id)
  open.delete(reply.id)
  if ('result' in reply) waiting?.resolve(reply.result)
  else {
    const { name, message, stack } = reply.failure
    waiting?.reject(Object.assign(new Error(message), { name, stack }))
  }
}

/**
 * A thread reads nothing of the environment but the folder of compiled code, which it does not inherit from this thread:
 * with it, a thread starts in a third of the time and takes 10 to 40 MB less.
 */
function threadEnvironment(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}

/** The other side of `startThread`. */
export function serveCalls(work: Work): void {
  // Not before the whole module is loaded.
  setImmediate(() => parentPort?.postMessage(READY))
  parentPort?.on('message', async (call: Call | typeof END) => {
    if (call === END) return parentPort?.close()
    const { id, kind, input } = call
    let reply: Reply
    try {
      reply = { id, result: await work[kind]?.(input) }
    } catch (error) {
      const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error))
      reply = { id, failure: { name, message, stack } }
    }
    parentPort?.postMessage(reply)
  })
}
