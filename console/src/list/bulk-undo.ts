import { t } from '../messages/i18n.ts'
import type { BulkChanges } from './bulk-changes.ts'
import { type Failure, readWritten, undoTargets, type Written } from './bulk-run.ts'
import { offerUndo, type Undone } from './offer-undo.tsx'

/** Undo of one run. */
export interface BulkUndo {
  /** Number of records that the run has changed. */
  readonly changed: number
  /** Called again after an error, it undoes the rest. */
  readonly undo: () => Promise<Undone>
}

export function prepareUndo(written: Written, onUndone: () => void): BulkUndo {
  const { changed, uncertain, info } = written
  // At once, because others may change the records. If it fails, or all are uncertain, it is read when it is needed.
  let asWritten: Promise<BulkChanges | null> = Promise.resolve(null)
  if (changed.length > 0) asWritten = readWritten(written).catch(() => null)
  let left = [...changed, ...uncertain]
  let count = 0
  const failures: Failure[] = []
  const known = new Set(changed)
  const undoLeft = async (): Promise<unknown> => {
    const made = (await asWritten) ?? (await readWritten(written))
    asWritten = Promise.resolve(made)
    const { signal } = new AbortController()
    const undone = await undoTargets(left, made, { info, signal, onProgress: () => undefined })
    left = left.slice(undone.changed.length + undone.unchanged.length + undone.failures.length)
    // Others are as before because they were not changed.
    count += undone.changed.length + undone.unchanged.filter((target) => known.has(target)).length
    // If the repeat finds records of a lost response as before, this undo was applied, so they count.
    for (const target of undone.broken?.targets ?? []) known.add(target)
    failures.push(...undone.failures)
    return undone.broken?.error ?? null
  }
  const undo = async (): Promise<Undone> => {
    const error = await undoLeft().catch((problem: unknown) => problem)
    onUndone()
    const failed = failures.map(({ target: { sysId, name }, message }) => ({ sysId, name, message }))
    return { count, failed, error }
  }
  return { changed: changed.length, undo }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

/** Says how many records are changed, and offers to undo that: the last run first. */
export function offerBulkUndo(runs: readonly BulkUndo[], table: string): void {
  offerUndo(t('bulk.changed', { count: sum(runs.map(({ changed }) => changed)) }), table, async () => {
    const undone: Undone[] = []
    for (const { undo } of runs.toReversed()) {
      undone.push(await undo())
      if (undone.at(-1)?.error !== null) break
    }
    return {
      count: sum(undone.map(({ count }) => count)),
      failed: undone.flatMap(({ failed }) => failed),
      error: undone.at(-1)?.error ?? null,
    }
  })
}
