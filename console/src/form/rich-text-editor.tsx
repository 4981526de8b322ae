import type { Command, EditorState } from 'prosemirror-state'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { commands, isActive, linkAt, setLink } from './rich-commands.ts'
import { safeAddress, wholeAddress } from './rich-document.ts'
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
  const closeLink = (): void => {
    setLinking(false)
    editing.current?.view.focus()
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
          onClick={() => (isLinking ? closeLink() : setLinking(true))}
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
          onClose={closeLink}
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
        // The line has the address of the link where the caret was.
        onFocus={() => setLinking(false)}
      />
    </div>
  )
}

interface LinkLineProps {
  readonly address: string
  readonly onLink: (href: string) => void
  readonly onClose: () => void
}

/** The selection in the text stays while the user types the address. An empty one removes the link. */
function LinkLine({ address, onLink, onClose }: LinkLineProps) {
  const [typed, setTyped] = useState(address)
  const href = typed === address ? address : wholeAddress(typed)
  const isSafe = safeAddress(href) !== null
  // What is typed next is the address. In the text it would replace the selected words.
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') onClose()
    else if (isSafe) onLink(href)
  }
  return (
    <div className={css.link}>
      <input
        ref={field}
        type="url"
        className={ui.input}
        aria-label={t('rich.address')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button disabled={!isSafe} onClick={() => onLink(href)}>
        {t('action.apply')}
      </Button>
      {isSafe && href !== '' && (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {t('rich.open')}
        </a>
      )}
    </div>
  )
}
