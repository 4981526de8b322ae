import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'
import css from './ui.module.css'

interface Toast {
  readonly text: ReactNode
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

let current: Toast | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = createListeners()

function set(toast: Toast | null): void {
  current = toast
  listeners.notify()
}

/**
 * One message at a time, for 10 s: as long as undo is offered.
 *
 * @returns adds an action to the message, which then stays for another 10 s. Does nothing if the message is gone or a newer one has replaced it:
 * a late action would take the place of the newer one, and the button or the key would do something else than the user means.
 */
export function showToast(text: ReactNode, action?: Toast['action']): (action: Toast['action']) => void {
  const toast = { text, action }
  set(toast)
  hideLater(10_000)
  return (later) => {
    if (current === toast) showToast(text, later)
  }
}

/** What the message says is true no longer. */
export function clearToast(): void {
  set(null)
}

let isHeld = false

/** Stays while its button or a link has the focus, and while the user signs in again: what it offers is of use after that. */
function hide(): void {
  if (!isHeld && document.activeElement?.closest(`.${css.toast}`) == null) set(null)
  else hideLater(1_000)
}

function hideLater(ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(hide, ms)
}

const isInField = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true]') !== null

export function Toasts({ isSignedOut }: { readonly isSignedOut: boolean }) {
  const toast = useSyncExternalStore(listeners.subscribe, () => current)
  useEffect(() => {
    isHeld = isSignedOut
    hideLater(10_000)
  }, [isSignedOut])
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isUndo = event.code === 'KeyZ' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
      // In a field, Ctrl + Z belongs to the text.
      if (!isUndo || current?.action === undefined || isInField(event.target)) return
      event.preventDefault()
      const { run } = current.action
      set(null)
      run()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return (
    <div role="status" aria-live="polite">
      {toast !== null && (
        <div className={css.toast}>
          <span>{toast.text}</span>
          {toast.action !== undefined && (
            <button
              type="button"
              onClick={() => {
                toast.action?.run()
                set(null)
              }}
            >
              {toast.action.label}
            </button>
          )}
        </div>
      )}
    </div>
  )
}
