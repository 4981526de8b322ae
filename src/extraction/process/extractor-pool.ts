import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { UnreadableCause } from '../../kernel/problem.ts'
import { fail, type Result } from '../../kernel/result.ts'
import type { ExtractedText } from '../extracted-text.ts'
import type { ExtractionLimits } from '../extraction-limits.ts'
import { type FileProblem, unreadable } from '../rejection.ts'
import { type ExtractOrder, type ExtractReport, type FileToRead, resultDescriptor } from './extractor-messages.ts'
import { createResultReader } from './result-frame.ts'

/**
 * Reads files in separate processes. A file made to take all memory or time affects only the process that reads it, and is
 * rejected with a specific error; the server and other files are not affected.
 */
export interface ExtractorPool {
  /** Waits for a free process. @param onPage progress of formats that take long per page; not called for each page */
  extract(file: FileToRead, onPage?: (done: number, of: number) => void): Promise<Result<ExtractedText, FileProblem>>
  /** Ends the processes. Files that are being read or wait are rejected. */
  close(): Promise<void>
}

export interface ExtractorPoolOptions {
  /** Files that are read at the same time; each uses a processor. */
  readonly processes: number
  /** A process is replaced after this many files, which frees memory that parsers leak. */
  readonly filesPerProcess: number
  /** Resident memory above which a process is killed. */
  readonly maxMemoryMb: number
  /** Time after which reading one file is aborted. */
  readonly maxSeconds: number
  readonly limits: ExtractionLimits
  /** Directories with the files; the processes can read nothing else except the program itself. */
  readonly readableDirectories: readonly string[]
}

export const defaultExtractorPoolOptions: Omit<ExtractorPoolOptions, 'limits' | 'readableDirectories'> = {
  processes: 2,
  filesPerProcess: 200,
  maxMemoryMb: 1_024,
  maxSeconds: 120,
}

interface Job {
  readonly file: FileToRead
  readonly onPage: ((done: number, of: number) => void) | undefined
  readonly resolve: (result: Result<ExtractedText, FileProblem>) => void
  readonly reject: (error: Error) => void
  /** Processes that ended before they began this file. */
  failedStarts: number
}

/** A process, and the file that it reads. */
interface Worker {
  readonly child: ChildProcess
  job: Job | undefined
  hasBegun: boolean
  /** Number of files so far, which is the number of the current file. */
  files: number
  /** Its memory is checked between two files; it takes no file meanwhile. */
  isResting: boolean
  /** Why we killed it. */
  doom: UnreadableCause | undefined
  stopWatching: () => void
  /** The end of its stderr: V8 reports a full heap there. */
  lastWords: string
}

/** V8 writes its reason first, then a page of stack. */
const maxLastWords = 64 * 1024
const maxFailedStarts = 3
/** A process that uses more than this share of its memory between two files is replaced. */
const restingShare = 0.5

export function openExtractorPool(options: ExtractorPoolOptions): ExtractorPool {
  const workers = new Set<Worker>()
  const waiting: Job[] = []
  let isClosed = false

  const dispatch = (): void => {
    while (waiting.length > 0 && !isClosed) {
      const idle = [...workers].find(({ job, isResting }) => job === undefined && !isResting)
      if (idle === undefined && workers.size >= options.processes) return
      const job = waiting.shift()
      if (job !== undefined) begin(idle ?? start(), job)
    }
  }
  const start = (): Worker => {
    const child = startChild(options)
    const worker: Worker = {
      child,
      job: undefined,
      hasBegun: false,
      files: 0,
      isResting: false,
      doom: undefined,
      stopWatching: () => undefined,
      lastWords: '',
    }
    workers.add(worker)
    child.on('message', (message) => receiveReport(worker, message as ExtractReport))
    child.on('error', (error) => end(worker, error.message))
    child.on('exit', () => workers.delete(worker))
    // Not at `exit`: its stderr may arrive later, and contains the reason why it ended.
    child.on('close', (code, signal) => end(worker, signal ?? `code ${code}`))
    readResults(child, maxResultBytes(options), (result) => receive(worker, result))
    child.stderr?.on('data', (words: Buffer) => {
      worker.lastWords = (worker.lastWords + words.toString('utf8')).slice(-maxLastWords)
    })
    return worker
  }
  const begin = (worker: Worker, job: Job): void => {
    worker.job = job
    worker.hasBegun = false
    worker.files++
    worker.stopWatching = watch(worker, options)
    const order: ExtractOrder = { number: worker.files, file: job.file, limits: options.limits }
    // A process that cannot receive messages has ended or is about to; its `exit` event reports that.
    worker.child.send(order, () => undefined)
  }
  const receiveReport = (worker: Worker, message: ExtractReport): void => {
    const { job } = worker
    if (job === undefined || message.number !== worker.files) return
    if (message.kind === 'begun') worker.hasBegun = true
    else if (message.kind === 'page') job.onPage?.(message.done, message.of)
    else settle(worker)?.reject(new Error(`the file could not be read: ${message.detail}`))
  }
  const receive = (worker: Worker, result: Result<ExtractedText, FileProblem>): void => {
    const isOutOfMemory = isRejectedFor('out-of-memory', result)
    const job = settle(worker, isOutOfMemory)
    job?.resolve(isOutOfMemory ? fail(problemOf({ ...worker, doom: 'out-of-memory' }, '', options)) : result)
  }
  /** The worker finished its file; after a memory check it is free for the next one, or replaced. */
  const settle = (worker: Worker, isWorn = false): Job | undefined => {
    const { job } = worker
    worker.job = undefined
    worker.stopWatching()
    worker.isResting = true
    void residentMb(worker.child.pid).then((mb) => {
      worker.isResting = false
      // Memory left behind by one file must not count against the next.
      const isFull = mb > options.maxMemoryMb * restingShare
      if (isWorn || isFull || worker.files >= options.filesPerProcess) retire(worker)
      dispatch()
    })
    return job
  }
  const retire = (worker: Worker): void => {
    workers.delete(worker)
    worker.child.kill('SIGKILL')
  }
  const end = (worker: Worker, how: string): void => {
    workers.delete(worker)
    worker.stopWatching()
    const { job } = worker
    worker.job = undefined
    if (job === undefined) return
    if (isClosed) job.reject(new Error('the reading of documents was stopped'))
    else if (worker.hasBegun || worker.doom !== undefined) job.resolve(fail(problemOf(worker, how, options)))
    else if (++job.failedStarts < maxFailedStarts) waiting.unshift(job)
    else job.reject(new Error(`the process that reads documents does not start (${how}): ${worker.lastWords}`))
    dispatch()
  }

  return {
    extract: (file, onPage) =>
      new Promise((resolve, reject) => {
        if (isClosed) {
          reject(new Error('the reading of documents was stopped'))
          return
        }
        waiting.push({ file, onPage, resolve, reject, failedStarts: 0 })
        dispatch()
      }),
    async close() {
      isClosed = true
      for (const job of waiting.splice(0)) job.reject(new Error('the reading of documents was stopped'))
      await Promise.all([...workers].map(({ child }) => ended(child)))
    },
  }
}

/** Two bytes per character, and as much again for blocks and headings. */
const maxResultBytes = ({ limits }: ExtractorPoolOptions): number => limits.maxTextUnits * 4 + 64 * 1024 * 1024

function readResults(
  child: ChildProcess,
  maxBytes: number,
  onResult: (result: Result<ExtractedText, FileProblem>) => void,
): void {
  const reader = createResultReader(maxBytes, onResult)
  const pipe = child.stdio[resultDescriptor]
  pipe?.on('data', (piece: Buffer) => {
    try {
      reader.take(piece)
    } catch {
      // Malformed frame: kill the process.
      child.kill('SIGKILL')
    }
  })
}

function isRejectedFor(cause: UnreadableCause, result: Result<ExtractedText, FileProblem>): boolean {
  return !result.ok && result.error.kind === 'unreadable-document' && result.error.cause === cause
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGKILL')
  })
}

function problemOf(
  { doom, lastWords }: Worker,
  how: string,
  { maxMemoryMb, maxSeconds }: ExtractorPoolOptions,
): FileProblem {
  const cause = doom ?? (diedOfMemory(lastWords, how) ? 'out-of-memory' : 'crashed')
  if (cause === 'out-of-memory')
    return unreadable(cause, `reading it takes more than ${maxMemoryMb} MB of memory`).problem
  if (cause === 'out-of-time') return unreadable(cause, `reading it takes more than ${maxSeconds} seconds`).problem
  return unreadable(cause, `the process that read it ended (${how})`).problem
}

/** A failed check of Node.js reports a reason; a process that dies without one ran out of memory. */
function diedOfMemory(lastWords: string, how: string): boolean {
  return (
    /out of memory|heap limit|allocation failed|bad_alloc/i.test(lastWords) || (how === 'SIGABRT' && lastWords === '')
  )
}

// ── the process and its limits ──

/** The repository: program and packages, which a process must be able to load. */
const programDirectory = fileURLToPath(new URL('../../..', import.meta.url))
const childProgram = fileURLToPath(new URL('./extractor-child.ts', import.meta.url))

/** The kernel limit is this much above our own limit. Threads and code need some of it. */
const kernelSlackMb = 512
/** Share of the memory for the heap; buffers are outside of it. */
const heapShare = 0.6

function startChild(options: ExtractorPoolOptions): ChildProcess {
  const { maxMemoryMb, maxSeconds, filesPerProcess, readableDirectories } = options
  const node = [
    `--max-old-space-size=${Math.floor(maxMemoryMb * heapShare)}`,
    '--permission',
    ...[programDirectory, ...readableDirectories].map((directory) => `--allow-fs-read=${directory}`),
    '--disallow-code-generation-from-strings',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
  ]
  // Polling is too slow if a gigabyte is allocated in a tenth of a second: on Linux the kernel enforces the limit as well.
  const isLinux = process.platform === 'linux'
  // A killed server cannot end its processes; busy ones end at their CPU time limit.
  const limits = `ulimit -c 0; ulimit -d ${(maxMemoryMb + kernelSlackMb) * 1_024}; ulimit -t ${Math.ceil(maxSeconds * filesPerProcess) + 60}`
  const child = fork(childProgram, [], {
    ...(isLinux
      ? {
          execPath: '/bin/sh',
          execArgv: ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...node],
        }
      : { execPath: process.execPath, execArgv: node }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    env: {},
  })
  beNice(child.pid)
  return child
}

/** Requests take precedence: an extraction process gets the remaining processor time. */
function beNice(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, 10)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

const pollMs = 50

/** Kills the process when its file takes too much time or memory. @returns a function that ends the monitoring */
function watch(worker: Worker, { maxMemoryMb, maxSeconds }: ExtractorPoolOptions): () => void {
  const kill = (cause: UnreadableCause): void => {
    worker.doom ??= cause
    worker.child.kill('SIGKILL')
  }
  const clock = setTimeout(() => kill('out-of-time'), maxSeconds * 1_000)
  let isOver = false
  const poll = setInterval(() => {
    void residentMb(worker.child.pid).then((mb) => {
      if (mb > maxMemoryMb && !isOver) kill('out-of-memory')
    })
  }, pollMs)
  return () => {
    isOver = true
    clearTimeout(clock)
    clearInterval(poll)
  }
}

/** 0 if the system does not report it; the limits of heap and time still apply. */
async function residentMb(pid: number | undefined): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}
