import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readSettings } from '../../config/settings.ts'
import type { Database } from '../../database/database.ts'
import { isAlive } from '../../database/embedded/processes.ts'
import { documentFolders } from '../../documents/document-folders.ts'
import {
  type IndexReport,
  type NewestCheck,
  type RequestedCheck,
  readReports,
  requestIndexCheck,
  type ServingProcess,
} from '../../documents/maintenance/index-checks.ts'
import { openLexicalIndex } from '../../documents/sync/open-lexical-index.ts'
import type { IndexCheck } from '../../documents/sync/verify-index.ts'
import type { VectorCheck } from '../../embeddings/verify-vectors.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import { type Progress, showProgress } from './show-progress.ts'

/** The index of one process, or the one that the next start would load. */
export interface CheckedIndex {
  /** Such as "of process 4711 on desk-1". */
  readonly whose: string
  readonly outcome: /** `vectors`: null where it has no model. */
    | { readonly kind: 'checked'; readonly check: IndexCheck; readonly vectors: VectorCheck | null }
    | { readonly kind: 'failed'; readonly error: string }
    /** The process ended before it finished. */
    | { readonly kind: 'gone' }
}

/**
 * Makes every process that serves documents compare its index with the database, and waits for all of them. If no process serves documents,
 * the index in the data directory is compared here. Requests in the change log, such as a rebuild, are processed first.
 *
 * @param options `repairs`: vectors that differ are read again
 */
export async function checkIndexes(
  database: Database,
  options: Pick<NewestCheck, 'repairs'>,
): Promise<readonly CheckedIndex[]> {
  const check = await requestIndexCheck(database, options)
  const processes = check.processes.filter(mayServe)
  const progress = showProgress({ unit: 'documents', total: null, out: process.stderr })
  try {
    return processes.length > 0
      ? await waitForAll(database, { ...check, processes }, progress)
      : [await checkHere(database, progress)]
  } finally {
    progress.end()
  }
}

/** A killed process of this machine sends no more reports, and still counts as running for a while. */
const mayServe = ({ host, processId }: ServingProcess): boolean => host !== hostname() || isAlive(processId)

const lookEveryMs = 300

async function waitForAll(
  database: Database,
  check: RequestedCheck,
  progress: Progress,
): Promise<readonly CheckedIndex[]> {
  for (;;) {
    const reports = await readReports(database, check)
    const states = check.processes.map((each) => {
      const report = reports.get(each.id) ?? null
      return { each, report: report !== null && !isFinal(report) && !mayServe(each) ? ('gone' as const) : report }
    })
    const sums = states.reduce(
      (sum, { report }) => {
        const { documents, of } = progressOf(report)
        return { documents: sum.documents + documents, of: sum.of + of }
      },
      { documents: 0, of: 0 },
    )
    if (sums.of > 0) progress.reach(sums.documents, sums.of)
    if (states.every(({ report }) => report !== null && isFinal(report)))
      return states.map(({ each, report }) => ({
        whose: `of process ${each.processId} on ${each.host}`,
        outcome: outcomeOf(report),
      }))
    await delay(lookEveryMs)
  }
}

function isFinal(report: IndexReport | 'gone'): boolean {
  return report === 'gone' || report.stage === 'done' || report.stage === 'failed'
}

function progressOf(report: IndexReport | 'gone' | null): IndexProgress {
  if (report === null || report === 'gone' || report.stage === 'failed') return { documents: 0, of: 0 }
  if (report.stage === 'done') return { documents: report.check.documents, of: report.check.documents }
  return { documents: report.done, of: report.of }
}

function outcomeOf(report: IndexReport | 'gone' | null): CheckedIndex['outcome'] {
  if (report === null || report === 'gone') return { kind: 'gone' }
  if (report.stage === 'done') return { kind: 'checked', check: report.check, vectors: report.vectors }
  if (report.stage === 'failed') return { kind: 'failed', error: report.trouble }
  return { kind: 'gone' }
}

async function checkHere(database: Database, progress: Progress): Promise<CheckedIndex> {
  const folder = documentFolders(resolve(readSettings().dataDir)).indexFolder
  const errors: unknown[] = []
  const reportProgress = ({ documents, of }: IndexProgress): void => progress.reach(documents, of)
  const index = openLexicalIndex({
    database,
    folder,
    clock: systemClock,
    onError: (error) => void errors.push(error),
    onRebuild: reportProgress,
  })
  try {
    await index.whenReady()
    const check = await index.verify(reportProgress)
    return { whose: `in ${folder}`, outcome: { kind: 'checked', check, vectors: null } }
  } finally {
    await index.close()
    for (const error of errors) progress.note(`beside the check: ${error}`)
  }
}
