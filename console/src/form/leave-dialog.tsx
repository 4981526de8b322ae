import { Dialog } from '@base-ui/react/dialog'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { hasUnsentEntry } from '../session.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { confirmLeaving, isLeavingPage, useUnsavedPart } from '../unsaved-input.ts'
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

/** A question before what is typed, or files on their way, are lost: by leaving the form, or by signing out. */
export function LeaveDialog({ isDirty, files, onDiscard }: LeaveDialogProps) {
  const stay = useRef<HTMLButtonElement>(null)
  const isUnsaved = isDirty || files !== 'none'
  useUnsavedPart(isUnsaved)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => (isDirty || files === 'waiting') && formOf(current) !== formOf(next),
    enableBeforeUnload: () => isUnsaved && !isLeavingPage(),
    withResolver: true,
  })
  const [signOut, setSignOut] = useState<(() => void) | null>(null)
  useEffect(() => {
    confirmLeaving((leave) => (isUnsaved || hasUnsentEntry() ? setSignOut(() => leave) : leave()))
    return () => confirmLeaving(null)
  }, [isUnsaved])
  const keepEditing = (): void => {
    setSignOut(null)
    blocker.reset?.()
  }
  const isOpen = blocker.status === 'blocked' || signOut !== null
  return (
    <Dialog.Root open={isOpen} onOpenChange={(opens) => !opens && keepEditing()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog} initialFocus={stay}>
          <Dialog.Title render={<h2 />}>{t('leave.title')}</Dialog.Title>
          <Dialog.Description>{t(isDirty || files === 'none' ? 'leave.hint' : 'leave.files')}</Dialog.Description>
          <div className={`${ui.row} ${ui.end}`}>
            <Button
              look="quiet"
              className={ui.danger}
              onClick={() => {
                // It clears everything by itself, once the session has ended.
                if (signOut !== null) return signOut()
                onDiscard()
                blocker.proceed?.()
              }}
            >
              {t('leave.discard')}
            </Button>
            <Button ref={stay} look="primary" onClick={keepEditing}>
              {t('leave.stay')}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
