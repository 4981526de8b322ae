import { endIfSignedOut, onceSignedIn } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { type PasteResult, toUndo, type UndoResult, undoBlock } from './paste-write.ts'

/** Offers to undo what a paste has written. If the session has ended or the server does not respond, undo is offered again for the rest. */
export function offerUndo(result: PasteResult, info: TableInfo, refresh: () => void): void {
  const offer = (text: string, undo: UndoResult): void => {
    showToast(text, undo.rest.length === 0 ? undefined : { label: t('action.undo'), run: () => void run(undo) })
  }
  const run = async (undo: UndoResult): Promise<void> => {
    const undone = await undoBlock(undo, info)
    refresh()
    if (endIfSignedOut(undone.error)) onceSignedIn(() => offer(undoneText(undone), undone))
    else offer(undoneText(undone), undone)
  }
  const undo = toUndo(result)
  if (undo.rest.length > 0) offer(t('bulk.changed', { count: result.written.length }), undo)
}

const maxNamed = 3

function undoneText({ count, failed, error }: UndoResult): string {
  const reasons = failed.slice(0, maxNamed).map(({ row, message }) => `${row.name}: ${message}`)
  if (failed.length > maxNamed) reasons.push('…')
  return [
    t('bulk.undone', { count }),
    ...(failed.length > 0 ? [t('paste.notUndone', { count: failed.length, reasons: reasons.join(' ') })] : []),
    ...(error === null ? [] : [messageOf(error)]),
  ].join(' ')
}
