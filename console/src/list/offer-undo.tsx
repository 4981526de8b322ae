import { endIfSignedOut } from '../app.tsx'
import { consolePath } from '../facts.ts'
import { t } from '../messages/i18n.ts'
import { isolated } from '../messages/isolate.ts'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'

interface NotUndone {
  readonly sysId: string
  readonly name: string
  /** Why it is not as before. */
  readonly message: string
}

/** What an undo of many records has done so far. */
export interface Undone {
  /** Records that are as before. */
  readonly count: number
  readonly failed: readonly NotUndone[]
  /** Why the others are not undone yet; null: there are no others. */
  readonly error: unknown
}

/**
 * Offers to undo a change of many records. If the session has ended or the server does not respond, undo is offered again for the rest.
 *
 * @param text says what is changed
 * @param undo undoes what is left
 */
export function offerUndo(text: string, table: string, undo: () => Promise<Undone>): void {
  const run = async (): Promise<void> => {
    const undone = await undo()
    const { error } = undone
    const reason = error === null || endIfSignedOut(error) ? '' : messageOf(error)
    showToast(<UndoneText table={table} {...undone} reason={reason} />, error === null ? undefined : action)
  }
  const action = { label: t('action.undo'), run: () => void run() }
  showToast(text, action)
}

const maxNamed = 3

interface UndoneTextProps extends Omit<Undone, 'error'> {
  readonly table: string
  readonly reason: string
}

/** The links open in another tab: the message stays here. */
function UndoneText({ table, count, failed, reason }: UndoneTextProps) {
  return (
    <>
      {t('bulk.undone', { count })} {failed.length > 0 && t('bulk.notUndone', { count: failed.length })}{' '}
      {failed.slice(0, maxNamed).map(({ sysId, name, message }) => (
        <span key={sysId}>
          <a href={`${consolePath}/t/${table}/${sysId}`} target="_blank" rel="noopener noreferrer">
            {isolated(name || sysId)}
          </a>
          : {message}{' '}
        </span>
      ))}
      {failed.length > maxNamed && '… '}
      {reason}
    </>
  )
}
