import { Dialog } from '@base-ui/react/dialog'
import { useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { signOut } from '../session.ts'
import { Button, classes } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { SignInForm } from './sign-in-page.tsx'

interface SignInAgainProps {
  readonly userName: string
  readonly onSubmit: (userName: string, password: string) => Promise<void>
}

/** Over all that the page displays, after the session has ended. What is typed there stays, also in popovers and dialogs. */
export function SignInAgain({ userName, onSubmit }: SignInAgainProps) {
  const [before] = useState(placeBefore)
  useEffect(keepOthersOpen, [])
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Backdrop className={classes(ui.backdrop, ui.top)} />
        <Dialog.Popup
          className={classes(ui.dialog, ui.top)}
          finalFocus={() => (before?.isConnected === true ? before : true)}
        >
          <Dialog.Title render={<h2 />}>{t('signIn.again')}</Dialog.Title>
          <Dialog.Description>{t('signIn.againHint')}</Dialog.Description>
          <SignInForm userName={userName} onSubmit={onSubmit} />
          <Button look="quiet" onClick={() => void signOut()}>
            {t('nav.signOut')}
          </Button>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Where the focus goes afterwards. If the button that had it is gone: into the dialog that is open, because the page around that takes no keys. */
function placeBefore(): HTMLElement | null {
  const { activeElement, body } = document
  if (activeElement instanceof HTMLElement && activeElement !== body) return activeElement
  return [...document.querySelectorAll<HTMLElement>('[role=dialog]')].at(-1) ?? null
}

const presses = ['pointerdown', 'mousedown', 'touchstart', 'click'] as const

/**
 * A popover closes by Escape and by a press beside it, which Enter in a form causes, too. Its listeners are in the document. What the browser
 * does with a press, such as sending the form, needs none.
 */
function keepOthersOpen(): () => void {
  const stop = (event: Event): void => {
    if (!(event.target instanceof Element && event.target.closest('button[type=button]'))) event.stopPropagation()
  }
  const stopEscape = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') event.stopPropagation()
  }
  for (const press of presses) addEventListener(press, stop, true)
  addEventListener('keydown', stopEscape, true)
  return () => {
    for (const press of presses) removeEventListener(press, stop, true)
    removeEventListener('keydown', stopEscape, true)
  }
}
