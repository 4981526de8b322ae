import { endIfSignedOut } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import type { BulkChanges } from './bulk-changes.ts'
import { readWritten, type Target, undoTargets } from './bulk-run.ts'

interface Written {
  readonly changed: readonly Target[]
  /** Whether the server has written these is unknown. */
  readonly uncertain: readonly Target[]
  /** As they were typed. */
  readonly changes: BulkChanges
  readonly info: TableInfo
}

/** Says how many records are changed, and offers to undo that. After an error, such as the end of the session, it offers to undo the rest. */
export function offerUndo({ changed, uncertain, changes, info }: Written, onUndone: () => void): void {
  const read = (): Promise<BulkChanges> => readWritten(changed, changes, info)
  // At once, because others may change the records. If it fails, it is read when it is needed.
  let asWritten: Promise<BulkChanges | null> = read().catch(() => null)
  let left = [...changed, ...uncertain]
  let count = 0
  const undoLeft = async (): Promise<unknown> => {
    const made = (await asWritten) ?? (await read())
    asWritten = Promise.resolve(made)
    const { signal } = new AbortController()
    const undone = await undoTargets(left, made, { info, signal, onProgress: () => undefined })
    const done = new Set(undone.changed)
    left = left.filter((target) => !done.has(target))
    count += done.size
    return undone.broken?.error ?? null
  }
  const action = { label: t('action.undo'), run: () => void undo() }
  const undo = async (): Promise<void> => {
    const error = await undoLeft().catch((problem: unknown) => problem)
    const text = t('bulk.undone', { count })
    if (error === null) showToast(text)
    else showToast(endIfSignedOut(error) ? text : `${text} ${messageOf(error)}`, action)
    onUndone()
  }
  showToast(t('bulk.changed', { count: changed.length }), action)
}
