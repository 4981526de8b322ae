import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { outdateRecords } from '../live/outdate-records.ts'
import { t } from '../messages/i18n.ts'
import ui from '../ui/ui.module.css'
import { type Failure, failuresFile, type Target } from './bulk-run.ts'
import css from './list.module.css'

interface ProgressProps {
  readonly done: number
  readonly failed: number
  /** 0: the total is not known yet. */
  readonly total: number
  readonly label: string
}

export function Progress({ done, failed, total, label }: ProgressProps) {
  return (
    <div className={css.progress}>
      <progress max={total || 1} value={done} aria-label={label} />
      <p role="status">
        {label} {total > 0 && t('bulk.progress', { done, total })} {failed > 0 && t('bulk.failed', { count: failed })}
      </p>
    </div>
  )
}

const maxListed = 5

/** The first failures, and a file with all. */
export function Failures({ failures, table }: { readonly failures: readonly Failure[]; readonly table: string }) {
  const text = useMemo(() => (failures.length === 0 ? null : failuresFile(failures)), [failures])
  const address = useTextFile(text, 'text/csv')
  if (failures.length === 0) return null
  return (
    <div className={css.failures}>
      <p>{t('bulk.failed', { count: failures.length })}</p>
      <FailureList failures={failures.slice(0, maxListed)} />
      {address !== null && (
        <a href={address} download={`${table}-failed.csv`}>
          {t('bulk.failedFile')}
        </a>
      )}
    </div>
  )
}

interface FailureListProps {
  readonly failures: readonly { readonly target: Pick<Target, 'sysId' | 'name'>; readonly message: string }[]
}

export function FailureList({ failures }: FailureListProps) {
  return (
    <ul>
      {failures.map(({ target, message }) => (
        <li key={target.sysId}>
          <strong>{target.name}</strong> {message}
        </li>
      ))}
    </ul>
  )
}

/** @returns the address of a file with the text, while it is displayed */
export function useTextFile(text: string | null, type: string): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (text === null) return undefined
    const made = URL.createObjectURL(new Blob([text], { type }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [text, type])
  return address
}

/** Whatever displays records is read again after many of them were written. */
export function refreshRecords(client: QueryClient): void {
  outdateRecords(client)
  void client.invalidateQueries({ queryKey: ['record'] })
}

interface TypedNumberProps {
  readonly count: number
  readonly value: string
  readonly onChange: (text: string) => void
}

/** The user types the number of records to confirm a change of many. */
export function TypedNumber({ count, value, onChange }: TypedNumberProps) {
  return (
    <label className={css.labelled}>
      {t('bulk.type', { number: String(count) })}
      <input
        className={ui.input}
        inputMode="numeric"
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
      />
    </label>
  )
}
