import type { Command, EditorState } from 'prosemirror-state'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { commands, isActive, linkAt, setLink } from './rich-commands.ts'
import { safeAddress } from './rich-document.ts'
import { RichEditing } from './rich-editing.ts'
import css from './rich-text.module.css'

const BUTTONS = [
  ['bold', 'B', 'rich.bold'],
  ['italic', 'I', 'rich.italic'],
  ['underline', 'U', 'rich.underline'],
  ['bulletList', '•', 'rich.bullets'],
  ['orderedList', '1.', 'rich.numbers'],
  ['plain', '⌫', 'rich.plain'],
] as const

interface RichTextEditorProps {
  readonly id: string
  readonly label: string
  /** JSON of the document; empty: no text. */
  readonly text: string
  readonly isInvalid: boolean
  /** Id of the error message. */
  readonly describedBy: string | undefined
  readonly onChange: (text: string) => void
}

/** Rich text, edited with ProseMirror (docs/decisions/0061-rich-text-with-prosemirror.md). Content of other programs becomes plain text. */
export function RichTextEditor({ id, label, text, isInvalid, describedBy, onChange }: RichTextEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const editing = useRef<RichEditing | null>(null)
  const latest = useRef({ text, onChange })
  latest.current = { text, onChange }
  const [state, setState] = useState<EditorState | null>(null)
  const [isLinking, setLinking] = useState(false)
  useEffect(() => {
    if (place.current === null) return undefined
    const made = new RichEditing(place.current, latest.current.text, {
      // At once: a render that comes after the next key would bring back the text before it.
      changed: (next) => flushSync(() => latest.current.onChange(next)),
      stateChanged: setState,
    })
    editing.current = made
    return () => made.view.destroy()
  }, [])
  useEffect(() => editing.current?.setText(text), [text])
  const run = (command: Command): void => {
    const view = editing.current?.view
    if (view === undefined) return
    command(view.state, view.dispatch, view)
    view.focus()
  }
  return (
    <div className={css.editor} data-invalid={isInvalid}>
      <div role="toolbar" aria-label={t('rich.toolbar')} aria-controls={id} className={css.toolbar}>
        {BUTTONS.map(([name, sign, title]) => (
          <button
            key={name}
            type="button"
            aria-label={t(title)}
            aria-pressed={name === 'plain' ? undefined : state !== null && isActive(name, state)}
            title={t(title)}
            data-command={name}
            data-sign={sign}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => run(commands[name])}
          />
        ))}
        <button
          type="button"
          aria-label={t('rich.link')}
          title={t('rich.link')}
          aria-expanded={isLinking}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => setLinking(!isLinking)}
        >
          <Icon name="link" />
        </button>
      </div>
      {isLinking && state !== null && (
        <LinkLine
          address={String(linkAt(state)?.attrs['given'].href ?? 'https://')}
          onLink={(href) => {
            setLinking(false)
            run(setLink(href))
          }}
        />
      )}
      <div
        ref={place}
        id={id}
        className={css.area}
        role="textbox"
        aria-multiline="true"
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        tabIndex={0}
      />
    </div>
  )
}

/** The selection in the text stays while the user types the address. An empty one removes the link. */
function LinkLine({ address, onLink }: { readonly address: string; readonly onLink: (href: string) => void }) {
  const [href, setHref] = useState(address)
  return (
    <div className={css.link}>
      <input
        type="url"
        className={ui.input}
        aria-label={t('rich.address')}
        value={href}
        onChange={(event) => setHref(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (safeAddress(href) !== null) onLink(href)
        }}
      />
      <Button disabled={safeAddress(href) === null} onClick={() => onLink(href)}>
        {t('action.apply')}
      </Button>
    </div>
  )
}
