import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Database } from '../../database/database.ts'
import type { VectorIndex } from '../../embeddings/vector-index.ts'
import type { VectorCheck } from '../../embeddings/verify-vectors.ts'
import { startLoop } from '../../kernel/loop.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { LexicalIndex } from '../sync/lexical-index.ts'
import { forgetProcess, type IndexReport, readNewestCheck, signalProcess, writeReport } from './index-checks.ts'

export interface IndexChecks {
  /** How a rebuild of the index goes that a check waits for. */
  noteRebuild(progress: IndexProgress): void
  /** Takes up no other check; resolves when the one under way has ended, as it does when its index is closed. */
  close(): Promise<void>
}

/** What a process has in its memory. */
interface CheckedIndexes {
  readonly words: Pick<LexicalIndex, 'refresh' | 'verify'>
  /** Of each model. */
  readonly vectors: readonly { readonly index: Pick<VectorIndex, 'verify'>; notify(): void }[]
  /** Of vectors that callers give; null: no search needed it yet. */
  given(): Promise<Pick<VectorIndex, 'verify'> | null>
}

/** A check is taken up within this time. */
const lookEveryMs = 1_000
/** That this process is there is said every so many looks: a look writes nothing. */
const looksBetweenSigns = 10
/** Progress is for people who wait. */
const reportEveryMs = 500

/** Says that this process is there, and checks its index when somebody asks every process to. */
export async function answerIndexChecks(
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
      // A process that is told to end has nothing to report: whoever waits sees that it is gone.
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
    noteRebuild({ documents, of }) {
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

/** Following the change log first: a rebuild that was asked for comes before the comparison. */
async function checkOnce(
  { words, vectors, given }: CheckedIndexes,
  repairs: boolean,
  onProgress: (progress: IndexReport) => void,
): Promise<IndexReport> {
  const tell = ({ documents, of }: IndexProgress): void => onProgress({ stage: 'comparing', done: documents, of })
  try {
    await words.refresh()
    // What was mended in the database is due.
    if (repairs) for (const model of vectors) model.notify()
    const check = await words.verify(tell)
    const checks: VectorCheck[] = []
    const ofCallers = await given()
    for (const index of [...vectors.map((model) => model.index), ...(ofCallers === null ? [] : [ofCallers])])
      checks.push(await index.verify(repairs, tell))
    return { stage: 'done', check, vectors: checks.length === 0 ? null : together(checks) }
  } catch (error) {
    return { stage: 'failed', trouble: error instanceof Error ? error.message : String(error) }
  }
}
