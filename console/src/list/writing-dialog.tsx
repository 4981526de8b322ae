import { Dialog } from '@base-ui/react/dialog'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode, RefObject } from 'react'
import { classes } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { isLeavingPage, useUnsavedPart } from '../unsaved-input.ts'

/** What Escape does in place of closing the dialog, while the dialog writes; null: it closes it. */
export type EscapeRef = RefObject<(() => void) | null>

interface WritingDialogProps {
  readonly title: string
  readonly className?: string | undefined
  readonly onEscape: EscapeRef
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * A dialog that writes many records. Until it displays what is written, it cannot be left: "back" of the browser does what Escape does, and the
 * browser asks before the tab is closed.
 */
export function WritingDialog({ title, className, onEscape, onClose, children }: WritingDialogProps) {
  // The page is not reloaded for an update of the server meanwhile.
  useUnsavedPart(true)
  useBlocker({
    shouldBlockFn: ({ current, next, action }) => {
      // The address of the list may change meanwhile, as when a filter is saved late.
      if (current.pathname === next.pathname && (action === 'PUSH' || action === 'REPLACE')) return false
      const stop = onEscape.current
      stop?.()
      return stop !== null
    },
    enableBeforeUnload: () => onEscape.current !== null && !isLeavingPage(),
  })
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && (onEscape.current ?? onClose)()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={classes(ui.dialog, className)}>
          <Dialog.Title render={<h2 />}>{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
