import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Database } from '../../database/database.ts'
import type { VectorEngine } from '../../embeddings/vector-engine.ts'
import type { VectorCheck } from '../../embeddings/verify-vectors.ts'
import { startLoop } from '../../kernel/loop.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { LexicalIndex } from '../sync/lexical-index.ts'
import { forgetProcess, type IndexReport, readNewestCheck, signalProcess, writeReport } from './index-checks.ts'

export interface IndexChecks {
  /** Records the progress of an index rebuild that a check waits for. */
  recordRebuild(progress: IndexProgress): void
  /** Starts no other check; resolves when the current one has ended, as it does when its index is closed. */
  close(): Promise<void>
}

/** The indexes in the memory of a process. */
interface CheckedIndexes {
  readonly words: Pick<LexicalIndex, 'refresh' | 'verify'>
  /** One for each model. */
  readonly vectors: readonly { readonly index: Pick<VectorEngine, 'verify'>; notify(): void }[]
  /** Vectors that callers give; null: no search needed them yet. */
  given(): Promise<Pick<VectorEngine, 'verify'> | null>
}

/** A check starts within this time. */
const lookEveryMs = 1_000
/** Polls between two signals of this process: a poll writes nothing. */
const looksBetweenSigns = 10
/** People wait for the progress. */
const reportEveryMs = 500

/** Signals that this process is alive, and checks its index on request. */
export async function runIndexChecks(
  database: Database,
  indexes: CheckedIndexes,
  onError: (error: unknown) => void,
): Promise<IndexChecks> {
  const about = { id: randomUUID(), host: hostname(), processId: process.pid }
  let newest = await readNewestCheck(database)
  let taken = newest.id
  let progress: IndexReport = { stage: 'comparing', done: 0, of: 0 }

  const checking = startLoop({
    async turn(stopping) {
      const { id: checkId, repairs } = newest
      if (checkId <= taken) return
      taken = checkId
      progress = { stage: 'comparing', done: 0, of: 0 }
      const reporting = startLoop({
        turn: () => writeReport(database, checkId, about.id, progress),
        everyMs: reportEveryMs,
        onError,
      })
      const report = await checkOnce(indexes, repairs, (reached) => {
        progress = reached
      })
      await reporting.stop()
      // A process that is shutting down has nothing to report: the requester sees that it is gone.
      if (!stopping.aborted) await writeReport(database, checkId, about.id, report)
    },
    onError,
  })
  let looks = 0
  const look = async (): Promise<void> => {
    if (looks++ % looksBetweenSigns === 0) await signalProcess(database, about)
    newest = await readNewestCheck(database)
    checking.notify()
  }
  await look()
  const looking = startLoop({ turn: look, everyMs: lookEveryMs, onError })
  return {
    recordRebuild({ documents, of }) {
      progress = { stage: 'rebuilding', done: documents, of }
    },
    async close() {
      await Promise.all([looking.stop(), checking.stop()])
      await forgetProcess(database, about.id).catch(onError)
    },
  }
}

function together(checks: readonly VectorCheck[]): VectorCheck {
  const sum = (of: (check: VectorCheck) => number): number => checks.reduce((all, check) => all + of(check), 0)
  return {
    documents: sum(({ documents }) => documents),
    vectors: sum(({ vectors }) => vectors),
    differences: sum(({ differences }) => differences),
    examples: checks.flatMap(({ examples }) => examples),
  }
}

/** Follows the change log first: a requested rebuild comes before the comparison. */
async function checkOnce(
  { words, vectors, given }: CheckedIndexes,
  repairs: boolean,
  onProgress: (progress: IndexReport) => void,
): Promise<IndexReport> {
  const reportProgress = ({ documents, of }: IndexProgress): void =>
    onProgress({ stage: 'comparing', done: documents, of })
  try {
    await words.refresh()
    // What was repaired in the database is due.
    if (repairs) for (const model of vectors) model.notify()
    const check = await words.verify(reportProgress)
    const checks: VectorCheck[] = []
    const ofCallers = await given()
    for (const index of [...vectors.map((model) => model.index), ...(ofCallers === null ? [] : [ofCallers])])
      checks.push(await index.verify(repairs, reportProgress))
    return { stage: 'done', check, vectors: checks.length === 0 ? null : together(checks) }
  } catch (error) {
    return { stage: 'failed', trouble: error instanceof Error ? error.message : String(error) }
  }
}
