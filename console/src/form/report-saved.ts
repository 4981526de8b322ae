import { t } from '../messages/i18n.ts'
import { showToast } from '../ui/toast.tsx'
import type { Texts } from './merge.ts'
import { readRights } from './use-rights.ts'

/** What undo writes: the values before the change, over the version that the change has written. */
interface Undo {
  readonly table: string
  readonly sysId: string
  readonly old: Texts
  readonly run: () => Promise<void>
}

/**
 * Reports a save at once, and adds undo to the same message as soon as the rights of the saved record allow it. Undo before that might be
 * rejected, and waiting with the message would leave the user in doubt about the save. If a newer message has replaced this one, undo is no
 * longer offered: it belongs to the newer change.
 */
export async function reportSaved(message: string, undo: Undo): Promise<void> {
  const addAction = showToast(message)
  if (await mayWriteBack(undo)) addAction({ label: t('action.undo'), run: () => void undo.run() })
}

/** Whether the user may write the values that the record had before: a closed record may have no way back. */
async function mayWriteBack({ table, sysId, old }: Undo): Promise<boolean> {
  try {
    // A request of its own. As the query of the form it would end the retries of the form, which an error would then make read-only.
    const { write, states } = await readRights(table, sysId)
    const state = old['state']
    return (
      Object.keys(old).every((column) => write.includes(column)) &&
      (state === undefined || states === null || states.includes(state))
    )
  } catch {
    return true // The server decides when the user asks for it.
  }
}
