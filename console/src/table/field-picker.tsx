import { type KeyboardEvent, useState } from 'react'
import { useIsStaff } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { maxHops } from './field-path.ts'
import css from './table.module.css'
import type { Column, TableInfo } from './table-info.ts'
import { useTable } from './use-table.ts'

interface FieldPickerProps {
  readonly info: TableInfo
  readonly onPick: (path: string) => void
  /** Filters the offered columns; default: all readable columns. */
  readonly accepts?: (column: Column) => boolean
}

interface Hop {
  readonly name: string
  readonly title: string
  readonly target: string
}

const unread: ReadonlySet<string> = new Set(['journal_input', 'image', 'password'])

/** Columns by title or name, and, hop by hop, those of the tables that they refer to. */
export function FieldPicker({ info, onPick, accepts = () => true }: FieldPickerProps) {
  const isStaff = useIsStaff()
  const [hops, setHops] = useState<readonly Hop[]>([])
  const [text, setText] = useState('')
  const { data: target, isPending } = useTable(hops.at(-1)?.target ?? info.entry.name)
  const go = (next: readonly Hop[]): void => {
    setHops(next)
    setText('')
  }
  const columns = fitting(target, text).filter((column) => accepts(column) || column.type === 'reference')
  const last = hops.at(-1)
  const goTo = ({ name, title, target: next }: Column): void => {
    if (next !== null && hops.length < maxHops) go([...hops, { name, title, target: next }])
  }
  /** A reference that is not wanted itself leads to the columns of its table. */
  const pick = (column: Column): void => {
    if (accepts(column)) onPick([...hops.map(({ name }) => name), column.name].join('.'))
    else goTo(column)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const [first] = columns
    if (event.key !== 'Enter' || text === '' || first === undefined) return
    event.preventDefault()
    pick(first)
  }
  return (
    <div className={css.picker}>
      <input
        className={ui.input}
        autoFocus
        placeholder={t('filter.field')}
        aria-label={t('filter.field')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {last !== undefined && (
        <button type="button" className={ui.item} onClick={() => go(hops.slice(0, -1))}>
          <Icon name="back" size={14} /> {hops.map(({ title }) => title).join(' › ')}
        </button>
      )}
      <ul className={css.fields}>
        {columns.map((column) => (
          <li key={column.name} className={css.fieldRow}>
            <button type="button" className={ui.item} onClick={() => pick(column)}>
              {column.title} {isStaff && <small>{column.name}</small>}
            </button>
            {column.target !== null && column.type === 'reference' && hops.length < maxHops && (
              <button
                type="button"
                className={css.hop}
                aria-label={t('filter.fieldsOf', { title: column.title })}
                onClick={() => goTo(column)}
              >
                <Icon name="chevron" size={14} />
              </button>
            )}
          </li>
        ))}
        {columns.length === 0 && <li className={css.status}>{t(isPending ? 'state.loading' : 'picker.nothing')}</li>}
      </ul>
    </div>
  )
}

/** Titles that begin with the text first. Else columns of the form first, then the others, then those of the system. */
function fitting(info: TableInfo | undefined, text: string): readonly Column[] {
  const wanted = text.toLowerCase()
  const usual = new Set(info?.views.get('Default view')?.sections.flatMap(({ columns }) => columns) ?? [])
  const rank = ({ name, title }: Column): number =>
    (usual.has(name) ? 0 : name.startsWith('sys_') ? 2 : 1) + (title.toLowerCase().startsWith(wanted) ? 0 : 3)
  return [...(info?.columns.values() ?? [])]
    .filter(({ type, rights }) => !unread.has(type) && rights.read !== 'never')
    .filter(({ title, name }) => title.toLowerCase().includes(wanted) || name.includes(wanted))
    .sort((one, other) => rank(one) - rank(other) || one.title.localeCompare(other.title))
}
