import { Dialog } from '@base-ui/react/dialog'
import { useEffect, useState } from 'react'
import { type MessageKey, t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { areSingleKeysOn } from '../ui/single-keys.ts'
import ui from '../ui/ui.module.css'
import css from './frame.module.css'

const SHORTCUTS: readonly (readonly [keys: string, meaning: MessageKey])[] = [
  ['Ctrl + K', 'keys.palette'],
  ['/', 'keys.search'],
  ['f', 'keys.filter'],
  ['n', 'keys.new'],
  ['↑ ↓', 'keys.move'],
  ['← →', 'keys.cell'],
  ['Enter', 'keys.open'],
  ['F2', 'keys.edit'],
  ['Tab', 'keys.next'],
  ['Ctrl + V', 'keys.paste'],
  ['x', 'keys.select'],
  ['e', 'keys.bulk'],
  ['Space', 'keys.peek'],
  ['Esc', 'keys.escape'],
  ['Alt + ← →', 'keys.width'],
  ['Alt + Page ↑ ↓', 'keys.neighbour'],
  ['a', 'keys.take'],
  ['c', 'keys.write'],
  ['s', 'keys.state'],
  ['Ctrl + S', 'keys.save'],
  ['Ctrl + Enter', 'keys.send'],
  ['Ctrl + Z', 'keys.undo'],
  ['?', 'keys.help'],
]

/** Whether the user types the key into a field. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.key.length === 1 && !areSingleKeysOn()) return true
  const target = event.target as HTMLElement | null
  return (
    target?.closest(
      'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox]',
    ) != null
  )
}

/** Event of the window that opens the list of keys. */
export const OPEN_SHORTCUTS = 'docket-shortcuts'

export function ShortcutsDialog() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isTyping(event)) setOpen(true)
    }
    const open = (): void => setOpen(true)
    addEventListener('keydown', listen)
    addEventListener(OPEN_SHORTCUTS, open)
    return () => {
      removeEventListener('keydown', listen)
      removeEventListener(OPEN_SHORTCUTS, open)
    }
  }, [])
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{t('keys.title')}</Dialog.Title>
          <dl className={css.keys}>
            {SHORTCUTS.map(([keys, meaning]) => (
              <div key={keys}>
                <dt>
                  <kbd className={ui.kbd}>{keys}</kbd>
                </dt>
                <dd>{t(meaning)}</dd>
              </div>
            ))}
          </dl>
          <div className={`${ui.row} ${ui.end}`}>
            <Dialog.Close render={<Button>{t('action.close')}</Button>} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
