import { type ClipboardEvent, useEffect, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { isEmptyDocument, readDocument, safeAddress } from './rich-document.ts'
import css from './rich-text.module.css'
import { documentOf, domOf, represents } from './rich-text-dom.ts'

const COMMANDS = [
  ['bold', 'B', 'rich.bold'],
  ['italic', 'I', 'rich.italic'],
  ['underline', 'U', 'rich.underline'],
  ['insertUnorderedList', '•', 'rich.bullets'],
  ['insertOrderedList', '1.', 'rich.numbers'],
  ['removeFormat', '⌫', 'rich.plain'],
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

/** Rich text, edited with the browser's own commands. Pasted content becomes plain text. */
export function RichTextEditor({ id, label, text, isInvalid, describedBy, onChange }: RichTextEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const written = useRef<string | null>(null)
  const [isLinking, setLinking] = useState(false)
  useEffect(() => {
    const root = place.current
    if (root === null || written.current === text) return
    written.current = text
    const document = readDocument(text)
    // Of a save, the elements stay, and with them the caret and what can be undone.
    if (document !== null && represents(root, document)) return
    root.replaceChildren(document === null ? '' : domOf(document))
  }, [text])
  const report = (): void => {
    if (place.current === null) return
    const document = documentOf(place.current)
    const next = isEmptyDocument(document) ? '' : JSON.stringify(document)
    written.current = next
    onChange(next)
  }
  const run = (command: string, value?: string): void => {
    place.current?.focus()
    // Deprecated, but there is no standard replacement for editable elements, and every browser supports it.
    document.execCommand(command, false, value)
    report()
  }
  return (
    <div className={css.editor} data-invalid={isInvalid}>
      <div role="toolbar" aria-label={t('rich.toolbar')} aria-controls={id} className={css.toolbar}>
        {COMMANDS.map(([command, sign, title]) => (
          <button
            key={command}
            type="button"
            aria-label={t(title)}
            title={t(title)}
            data-command={command}
            data-sign={sign}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => run(command)}
          />
        ))}
        <button
          type="button"
          aria-label={t('rich.link')}
          title={t('rich.link')}
          aria-expanded={isLinking}
          data-sign="⛓"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => setLinking(!isLinking)}
        />
      </div>
      {isLinking && (
        <LinkLine
          onLink={(href) => {
            setLinking(false)
            run('createLink', href)
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
        contentEditable
        suppressContentEditableWarning
        onInput={report}
        onPaste={(event: ClipboardEvent) => {
          event.preventDefault()
          document.execCommand('insertText', false, event.clipboardData.getData('text/plain'))
        }}
        onDrop={(event) => event.preventDefault()}
      />
    </div>
  )
}

/** The selection in the text stays while the user types the address. */
function LinkLine({ onLink }: { readonly onLink: (href: string) => void }) {
  const [href, setHref] = useState('https://')
  const range = useRef<Range | null>(null)
  useEffect(() => {
    const selection = getSelection()
    range.current = selection === null || selection.rangeCount === 0 ? null : selection.getRangeAt(0)
  }, [])
  const apply = (): void => {
    const selection = getSelection()
    if (range.current !== null && selection !== null) {
      selection.removeAllRanges()
      selection.addRange(range.current)
    }
    onLink(href)
  }
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
          if (safeAddress(href) !== null) apply()
        }}
      />
      <Button disabled={safeAddress(href) === null} onClick={apply}>
        {t('action.apply')}
      </Button>
    </div>
  )
}
