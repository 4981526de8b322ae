import { type FormEvent, useEffect, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { FilterSentence } from './filter-sentence.tsx'
import css from './list.module.css'
import { readQuery } from './list-query.ts'
import { QueryFault } from './query-fault.tsx'
import { useCompletions } from './use-completions.ts'

interface QueryTextProps {
  readonly info: TableInfo
  readonly text: string
  readonly onChange: (text: string) => void
  /** The user has just opened it, to type. */
  readonly isOpened: boolean
  /** Returns to the form; absent while the text cannot be parsed. */
  readonly onClose?: (() => void) | undefined
}

/** Editor for the text of the encoded query. It marks the position of an error, and completes names, operators and values. */
export function QueryText({ info, text, onChange, isOpened, onClose }: QueryTextProps) {
  const [draft, setDraft] = useState(text)
  useEffect(() => setDraft(text), [text])
  const input = useRef<HTMLInputElement>(null)
  const { items, active, take, isOpen, listId, field } = useCompletions({ info, input, draft })
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // In newer browsers it returns a promise, which is no cleanup.
    void list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
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
      <div className={css.completed}>
        <input
          ref={input}
          id="query-text"
          className={`${ui.input} ${css.mono}`}
          value={draft}
          autoFocus={isOpened}
          autoComplete="off"
          aria-invalid={!read.ok}
          aria-describedby="query-fault"
          spellCheck={false}
          {...field}
          onChange={(event) => {
            setDraft(event.target.value)
            field.onChange()
          }}
        />
        {isOpen && (
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={t('complete.list')}
            className={classes(ui.popup, css.completions)}
          >
            {items.map((item, at) => (
              <div
                key={`${item.from} ${item.insert}`}
                id={`${listId}-${at}`}
                role="option"
                aria-selected={at === active}
                data-highlighted={at === active ? '' : undefined}
                className={ui.item}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(item)}
              >
                <span>{item.title}</span> <small className={css.mono}>{item.code}</small>
              </div>
            ))}
          </div>
        )}
      </div>
      <span className="off-screen" role="status">
        {t('complete.count', { count: isOpen ? items.length : 0 })}
      </span>
      <Button type="submit" disabled={!read.ok}>
        {t('action.apply')}
      </Button>
      {onClose !== undefined && (
        <Button look="quiet" onClick={onClose}>
          {t('filter.asForm')}
        </Button>
      )}
      {read.ok && draft !== '' && <FilterSentence info={info} query={draft} />}
      {!read.ok && <QueryFault id="query-fault" text={draft} position={read.position} detail={read.detail} />}
    </form>
  )
}
