import { useQueries, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useEffect, useState } from 'react'
import { useIsStaff } from '../app.tsx'
import { kindOf } from '../list/filter-terms.ts'
import { t } from '../messages/i18n.ts'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { maxHops } from './field-path.ts'
import { type FieldThrough, fieldsThrough, fitting } from './fields-through.ts'
import css from './table.module.css'
import type { Column, TableInfo } from './table-info.ts'
import { tableQuery, useTable } from './use-table.ts'

interface FieldPickerProps {
  readonly info: TableInfo
  readonly onPick: (path: string) => void
  /** Filters the offered columns; default: all readable columns. */
  readonly accepts?: (column: Column) => boolean
}

type Field = FieldThrough<Column>

interface Hop {
  readonly name: string
  readonly title: string
  readonly target: string
}

/** As many as are seen without scrolling. The others are rendered right after them, so that no key waits for all. */
const fieldsAtFirst = 14

const unread: ReadonlySet<string> = new Set(['journal_input', 'image', 'password'])

/**
 * Columns by title or name, and those of the tables that they refer to: hop by hop, or by words that name the whole path, such as
 * "caller company".
 */
export function FieldPicker({ info, onPick, accepts = () => true }: FieldPickerProps) {
  const isStaff = useIsStaff()
  const [hops, setHops] = useState<readonly Hop[]>([])
  const [text, setText] = useState('')
  /** Enter was pressed while tables were read: it takes the first field when they are there. */
  const [isPickPending, setPickPending] = useState(false)
  const { data: target, isPending } = useTable(hops.at(-1)?.target ?? info.entry.name)
  const search = (next: string): void => {
    setText(next)
    setPickPending(false)
  }
  const go = (next: readonly Hop[]): void => {
    setHops(next)
    search('')
  }
  /** A reference that is not wanted itself leads on, if there may be one more. */
  const isOffered = ({ via, column }: Field): boolean =>
    !unread.has(column.type) && (accepts(column) || (column.type === 'reference' && hops.length + via.length < maxHops))
  const own = (target === undefined ? [] : fitting(target, text))
    .map((column): Field => ({ via: [], column }))
    .filter(isOffered)
  const through = useFieldsThrough(target, text, maxHops - hops.length, isOffered)
  const fields = [...own, ...through.found]
  const rendered = fields.slice(0, useDeferredValue(fields.length, fieldsAtFirst))
  // Fields of the table itself come first, so they wait for no other table.
  const isReading = isPending || (own.length === 0 && through.isPending)
  const last = hops.at(-1)
  const goTo = ({ via, column }: Field): void => {
    const next = [...via, column].flatMap(({ name, title, target: table }) =>
      table === null ? [] : [{ name, title, target: table }],
    )
    if (hops.length + next.length <= maxHops) go([...hops, ...next])
  }
  /** A reference that is not wanted itself leads to the columns of its table. */
  const pick = (field: Field): void => {
    const { via, column } = field
    if (accepts(column)) onPick([...hops, ...via, column].map(({ name }) => name).join('.'))
    else goTo(field)
  }
  const pickFirst = (): void => {
    setPickPending(isReading)
    const [first] = fields
    if (!isReading && first !== undefined) pick(first)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || text === '') return
    event.preventDefault()
    pickFirst()
  }
  useEffect(() => {
    if (isPickPending && !isReading) pickFirst()
  })
  return (
    <div className={css.picker}>
      <input
        className={ui.input}
        autoFocus
        placeholder={t('filter.field')}
        aria-label={t('filter.field')}
        value={text}
        onChange={(event) => search(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {last !== undefined && (
        <button type="button" className={ui.item} onClick={() => go(hops.slice(0, -1))}>
          <Icon name="back" size={14} /> {hops.map(({ title }) => title).join(' › ')}
        </button>
      )}
      <ul className={css.fields}>
        {rendered.map((field) => {
          const { via, column } = field
          const path = [...via, column]
          const title = path.map((each) => each.title).join(' › ')
          const name = path.map((each) => each.name).join('.')
          const type = t(`type.${typeOf(column)}`)
          return (
            <li key={name} className={css.fieldRow}>
              <button type="button" className={ui.item} aria-description={type} onClick={() => pick(field)}>
                {title} {isStaff && <small>{name}</small>}{' '}
                <small className={css.type} aria-hidden="true">
                  {type}
                </small>
              </button>
              {column.target !== null && column.type === 'reference' && hops.length + via.length < maxHops && (
                <button
                  type="button"
                  className={css.hop}
                  aria-label={t('filter.fieldsOf', { title })}
                  onClick={() => goTo(field)}
                >
                  <Icon name="chevron" size={14} />
                </button>
              )}
            </li>
          )
        })}
        {fields.length === 0 && <li className={css.status}>{t(isReading ? 'state.loading' : 'picker.nothing')}</li>}
      </ul>
    </div>
  )
}

/** Fields of other tables that the text names with their paths. The tables on the way are read as soon as they are named. */
function useFieldsThrough(
  info: TableInfo | undefined,
  text: string,
  hops: number,
  isOffered: (field: Field) => boolean,
): { readonly found: readonly Field[]; readonly isPending: boolean } {
  const client = useQueryClient()
  const known = (table: string): TableInfo | undefined => client.getQueryData(tableQuery(table).queryKey)
  const { found, missing } = info === undefined ? none : fieldsThrough(info, text, known, hops, isOffered)
  const results = useQueries({ queries: missing.map(tableQuery) })
  return { found, isPending: results.some((each) => each.isPending) }
}

const none = { found: [], missing: [] }

/** What kind of values a column has, in words that users know. */
const typeOf = (column: Column): ReturnType<typeof kindOf> | 'journal' =>
  column.type.startsWith('journal') ? 'journal' : kindOf(column)
