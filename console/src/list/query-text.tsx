import { type FormEvent, useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'
import { readQuery } from './list-query.ts'

interface QueryTextProps {
  readonly text: string
  readonly onChange: (text: string) => void
  /** Returns to the form; absent while the text cannot be parsed. */
  readonly onClose?: (() => void) | undefined
}

/** Editor for the text of the encoded query. It marks the position of an error. */
export function QueryText({ text, onChange, onClose }: QueryTextProps) {
  const [draft, setDraft] = useState(text)
  useEffect(() => setDraft(text), [text])
  const read = readQuery(draft)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (read.ok) onChange(draft)
  }
  return (
    <form className={css.queryText} onSubmit={submit}>
      <label className="off-screen" htmlFor="query-text">
        {t('filter.text')}
      </label>
      <input
        id="query-text"
        className={`${ui.input} ${css.mono}`}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        aria-invalid={!read.ok}
        aria-describedby="query-fault"
        spellCheck={false}
      />
      <Button type="submit" disabled={!read.ok}>
        {t('action.apply')}
      </Button>
      {onClose !== undefined && (
        <Button look="quiet" onClick={onClose}>
          {t('filter.asForm')}
        </Button>
      )}
      {!read.ok && (
        <p id="query-fault" className={css.fault} role="alert">
          <span className={css.mono} aria-hidden="true">
            {draft.slice(Math.max(0, read.position - 24), read.position)}
            <u>{draft.slice(read.position, read.position + 1) || ' '}</u>
            {draft.slice(read.position + 1, read.position + 24)}
          </span>
          {read.detail}
        </p>
      )}
    </form>
  )
}
