import { Dialog } from '@base-ui/react/dialog'
import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { isLeavingPage, useUnsavedPart } from '../unsaved-input.ts'
import type { UnsentFiles } from './attachments.tsx'

interface LeaveDialogProps {
  readonly isDirty: boolean
  readonly files: UnsentFiles
  readonly onDiscard: () => void
}

/** Names the form at an address. What a new record begins with makes another form; a view, or a tab, does not. */
export const formAt = (path: string, set: string): string => (path.endsWith('/new') ? `${path}?${set}` : path)

interface Address {
  readonly pathname: string
  readonly search: object
}

const formOf = ({ pathname, search }: Address): string =>
  formAt(pathname, 'set' in search ? String(search.set ?? '') : '')

/** A question before what is typed, or files on their way, are lost. */
export function LeaveDialog({ isDirty, files, onDiscard }: LeaveDialogProps) {
  const stay = useRef<HTMLButtonElement>(null)
  const isUnsaved = isDirty || files !== 'none'
  useUnsavedPart(isUnsaved)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => (isDirty || files === 'waiting') && formOf(current) !== formOf(next),
    enableBeforeUnload: () => isUnsaved && !isLeavingPage(),
    withResolver: true,
  })
  return (
    <Dialog.Root open={blocker.status === 'blocked'} onOpenChange={(isOpen) => !isOpen && blocker.reset?.()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog} initialFocus={stay}>
          <Dialog.Title render={<h2 />}>{t('leave.title')}</Dialog.Title>
          <Dialog.Description>{t(isDirty ? 'leave.hint' : 'leave.files')}</Dialog.Description>
          <div className={`${ui.row} ${ui.end}`}>
            <Button
              look="quiet"
              className={ui.danger}
              onClick={() => {
                onDiscard()
                blocker.proceed?.()
              }}
            >
              {t('leave.discard')}
            </Button>
            <Button ref={stay} look="primary" onClick={() => blocker.reset?.()}>
              {t('leave.stay')}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
