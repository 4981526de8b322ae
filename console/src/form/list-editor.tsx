import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { ReferencePicker } from '../table/reference-picker.tsx'
import type { Choice, Column } from '../table/table-info.ts'
import { useTable } from '../table/use-table.ts'
import { AddingSelect } from '../ui/adding-select.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import css from './form.module.css'
import { listText, listValues } from './texts.ts'

interface ListEditorProps {
  readonly id: string
  readonly label: string
  /** Table of the records in the list; null: the list has words. */
  readonly target: string | null
  /** Columns of that table that are searched for words. */
  readonly searched: readonly string[]
  /** If there are any, the list has only these. */
  readonly choices: readonly Choice[]
  /** JSON of the values; empty: no values. */
  readonly text: string
  /** Id of the error message. */
  readonly describedBy?: string | undefined
  readonly onChange: (text: string) => void
}

/** Several values, each with a button to remove it. */
export function ListEditor({ id, label, target, searched, choices, text, describedBy, onChange }: ListEditorProps) {
  const values = listValues(text)
  const titleOf = useMemberTitle({ target, choices }, values)
  const add = (value: string): void => {
    if (value !== '' && !values.includes(value)) onChange(listText([...values, value]))
  }
  return (
    <div className={css.listEditor}>
      {values.length > 0 && (
        <ul className={css.tags}>
          {values.map((value) => (
            <li key={value} className={css.tag}>
              {titleOf(value) ?? t('value.notVisible')}
              <button
                type="button"
                aria-label={t('list.takeAway', { title: titleOf(value) ?? t('value.notVisible') })}
                onClick={() => onChange(listText(values.filter((each) => each !== value)))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {choices.length > 0 ? (
        <AddingSelect
          id={id}
          aria-label={label}
          aria-invalid={describedBy !== undefined || undefined}
          aria-describedby={describedBy}
          prompt="—"
          options={choices.flatMap(({ value, title }) => (values.includes(value) ? [] : [[value, title] as const]))}
          onAdd={add}
        />
      ) : target === null ? (
        <WordInput id={id} label={label} describedBy={describedBy} onAdd={add} />
      ) : (
        <ReferencePicker
          key={values.length}
          id={id}
          label={label}
          table={target}
          searched={searched}
          isInvalid={describedBy !== undefined}
          describedBy={describedBy}
          value={null}
          onChange={(next) => next !== null && add(next.value)}
        />
      )}
    </div>
  )
}

interface WordInputProps {
  readonly id: string
  readonly label: string
  readonly describedBy: string | undefined
  readonly onAdd: (value: string) => void
}

/** Enter or a comma ends a word. */
function WordInput({ id, label, describedBy, onAdd }: WordInputProps) {
  const [word, setWord] = useState('')
  const end = (): void => {
    onAdd(word.trim())
    setWord('')
  }
  return (
    <input
      id={id}
      className={ui.input}
      aria-label={label}
      aria-invalid={describedBy !== undefined || undefined}
      aria-describedby={describedBy}
      placeholder={t('list.addWord')}
      value={word}
      onChange={(event) => setWord(event.target.value)}
      onBlur={end}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ',') return
        if (word.trim() === '' && event.key === 'Enter') return
        event.preventDefault()
        end()
      }}
    />
  )
}

/** @returns the title of a member, `…` while it is read; null: a record that the user may not read */
export function useMemberTitle(
  { target, choices }: Pick<Column, 'target' | 'choices'>,
  values: readonly string[],
): (value: string) => string | null {
  const titles = useTitles(target, values)
  return (value) => {
    if (target !== null) return titles.of.get(value) ?? (titles.areRead ? null : '…')
    return choices.find((each) => each.value === value)?.title ?? value
  }
}

/** Display values of the records; records that the user may not read have none. */
function useTitles(
  target: string | null,
  values: readonly string[],
): { readonly of: ReadonlyMap<string, string>; readonly areRead: boolean } {
  const { data: info } = useTable(target ?? 'user')
  const { data, isSuccess, isPlaceholderData } = useQuery({
    queryKey: ['titles', target, ...values],
    placeholderData: keepPreviousData,
    enabled: target !== null && values.length > 0 && info !== undefined,
    queryFn: async ({ signal }) => {
      const fields = ['sys_id', info?.displayColumn ?? 'sys_id']
      const options = { fields, display: 'all', signal } as const
      const rows = await docket
        .table(target ?? '')
        .list(`sys_idIN${values.join(',')}`, options)
        .toArray({ max: values.length })
      return new Map(rows.map((row) => [String(row['sys_id']?.value), row[fields[1] ?? '']?.display_value ?? '']))
    },
  })
  return { of: data ?? new Map(), areRead: isSuccess && !isPlaceholderData }
}
