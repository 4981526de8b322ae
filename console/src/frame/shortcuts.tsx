import { Dialog } from '@base-ui/react/dialog'
import { type MessageKey, t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import css from './frame.module.css'

const SHORTCUTS: readonly (readonly [keys: string, meaning: MessageKey])[] = [
  ['Ctrl + K', 'keys.palette'],
  ['/', 'keys.search'],
  ['f', 'filter.addToGroup'],
  ['n', 'list.newRecord'],
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

/** The keys of the console, and what they do. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
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
