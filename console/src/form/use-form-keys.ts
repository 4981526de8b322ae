import { useEffect } from 'react'
import { isTyping } from '../ui/single-keys.ts'

/**
 * Shortcuts of one letter: elements of the form name theirs in `aria-keyshortcuts`. A button is pressed, a field gets the focus, and of a
 * group its first button.
 */
export function useFormKeys(): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      const key = /^Key([A-Z])$/.exec(event.code)?.[1]
      const target = document.querySelector<HTMLElement>(`#page [aria-keyshortcuts="${key}"]`)
      if (target === null) return
      event.preventDefault()
      if (target instanceof HTMLButtonElement) target.click()
      else (target.querySelector('button') ?? target).focus()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

/** Ctrl + S saves; in a dialog it presses the button of the dialog. */
export function useSaveKey(save: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.code !== 'KeyS' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      const dialog = (event.target as Element | null)?.closest('[role=dialog], [role=alertdialog]') ?? null
      // In a dialog the key belongs to the dialog, not to the form below it.
      if (dialog === null) save()
      else dialog.querySelector('form')?.requestSubmit()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}
