import { type KeyboardEvent, useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import table from '../table/table.module.css'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { keyTitle } from './key-title.ts'
import type { MetadataKeysQuery } from './use-metadata-keys.ts'

interface KeyPickerProps {
  readonly keys: MetadataKeysQuery
  readonly onPick: (key: string) => void
}

/** Keys of the documents that the user may read. Any other one can be typed. */
export function KeyPicker({ keys, onPick }: KeyPickerProps) {
  const [text, setText] = useState('')
  /** Enter was pressed while the keys were read: it takes the first one when they are there. */
  const [isPickPending, setPickPending] = useState(false)
  const typed = text.trim()
  const wanted = typed.toLowerCase()
  const all = keys.data?.keys ?? []
  const fitting = all.filter(
    ({ key }) => key.toLowerCase().includes(wanted) || keyTitle(key).toLowerCase().includes(wanted),
  )
  const isNew = typed !== '' && all.every(({ key }) => key !== typed)
  const pickFirst = (): void => {
    setPickPending(keys.isPending)
    if (!keys.isPending) onPick(fitting[0]?.key ?? typed)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || typed === '') return
    event.preventDefault()
    pickFirst()
  }
  useEffect(() => {
    if (isPickPending && !keys.isPending) pickFirst()
  })
  return (
    <div className={table.picker}>
      <input
        className={ui.input}
        autoFocus
        placeholder={t('search.findKey')}
        aria-label={t('search.findKey')}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setPickPending(false)
        }}
        onKeyDown={onKeyDown}
      />
      {keys.error !== null && <ErrorBanner error={keys.error} onRetry={() => void keys.refetch()} />}
      <ul className={table.fields}>
        {fitting.map(({ key, documents }) => (
          <li key={key} className={table.fieldRow}>
            <button type="button" className={ui.item} onClick={() => onPick(key)}>
              <bdi>{keyTitle(key)}</bdi> <small>{t('search.documents', { count: documents })}</small>
            </button>
          </li>
        ))}
        {isNew && (
          <li className={table.fieldRow}>
            <button type="button" className={ui.item} onClick={() => onPick(typed)}>
              {t('search.useKey', { key: typed })}
            </button>
          </li>
        )}
        {keys.isPending && <li className={table.status}>{t('state.loading')}</li>}
        {keys.data !== undefined && fitting.length === 0 && !isNew && (
          <li className={table.status}>{t('search.noKeys')}</li>
        )}
      </ul>
      {keys.data?.isComplete === false && (
        <p className={table.status}>{t('search.keysOfPart', { count: keys.data.documents })}</p>
      )}
    </div>
  )
}
