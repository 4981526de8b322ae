import { type FormEvent, useEffect, useId, useState } from 'react'
import list from '../list/list.module.css'
import { QueryFault } from '../list/query-fault.tsx'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { type FilterFault, readFilter } from './metadata-filter.ts'
import css from './search.module.css'

interface FilterTextProps {
  readonly text: string
  /** What the server said about this text. */
  readonly fault: FilterFault | null
  /** One condition of a filter; a filter as a whole may be empty. */
  readonly isCondition?: boolean
  readonly onChange: (text: string) => void
  /** Back to the conditions; absent while they cannot be displayed. */
  readonly onClose?: (() => void) | undefined
}

/** A filter as its text. A fault is underlined and explained. */
export function FilterText({ text, fault, isCondition = false, onChange, onClose }: FilterTextProps) {
  const id = useId()
  const [draft, setDraft] = useState(text)
  useEffect(() => setDraft(text), [text])
  const read = readFilter(draft, t('search.noOrder'))
  // The server knows more than the grammar; what it said is about the text that it was sent.
  const found = read.ok ? (draft === text ? fault : null) : read
  const isSendable = read.ok && (!isCondition || read.terms.length > 0)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isSendable) onChange(draft.trim())
  }
  return (
    <form className={isCondition ? list.termForm : css.filterText} onSubmit={submit}>
      <input
        className={`${ui.input} ${list.mono}`}
        aria-label={t('search.filterText')}
        aria-invalid={found !== null}
        aria-describedby={found === null ? undefined : id}
        spellCheck={false}
        // The user has opened it, unless the address or the server made it necessary.
        autoFocus={onClose !== undefined || isCondition}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <Button type="submit" disabled={!isSendable}>
        {t('action.apply')}
      </Button>
      {onClose !== undefined && (
        <Button look="quiet" onClick={onClose}>
          {t('filter.asForm')}
        </Button>
      )}
      {!isCondition && onClose === undefined && (
        <Button look="quiet" onClick={() => onChange('')}>
          {t('search.removeFilter')}
        </Button>
      )}
      {found !== null && <QueryFault id={id} text={draft} position={found.position} detail={found.detail} />}
    </form>
  )
}
