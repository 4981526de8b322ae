import { useState } from 'react'
import { t } from '../messages/i18n.ts'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import css from './table.module.css'
import type { TableInfo } from './table-info.ts'
import { useTable } from './use-table.ts'

interface FieldPickerProps {
  readonly info: TableInfo
  readonly onPick: (path: string) => void
}

/** Columns by title or name, and those of the tables that they refer to. */
export function FieldPicker({ info, onPick }: FieldPickerProps) {
  const [hop, setHop] = useState<{ readonly path: string; readonly table: string; readonly title: string } | null>(null)
  const [text, setText] = useState('')
  const { data: target } = useTable(hop?.table ?? info.entry.name)
  const wanted = text.toLowerCase()
  const columns = [...(target?.columns.values() ?? [])]
    .filter(({ type }) => type !== 'journal_input' && type !== 'image')
    .filter(({ title, name }) => title.toLowerCase().includes(wanted) || name.includes(wanted))
    .sort((one, other) => one.title.localeCompare(other.title))
  const pathOf = (name: string): string => (hop === null ? name : `${hop.path}.${name}`)
  return (
    <div className={css.picker}>
      <input
        className={ui.input}
        autoFocus
        placeholder={t('filter.field')}
        aria-label={t('filter.field')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {hop !== null && (
        <button type="button" className={ui.item} onClick={() => setHop(null)}>
          <Icon name="back" size={14} /> {hop.title}
        </button>
      )}
      <ul className={css.fields}>
        {columns.map(({ name, title, target: next }) => (
          <li key={name} className={css.fieldRow}>
            <button type="button" className={ui.item} onClick={() => onPick(pathOf(name))}>
              {title} <small>{name}</small>
            </button>
            {next !== null && hop === null && (
              <button
                type="button"
                className={css.hop}
                aria-label={t('filter.fieldsOf', { title })}
                onClick={() => {
                  setHop({ path: name, table: next, title })
                  setText('')
                }}
              >
                <Icon name="chevron" size={14} />
              </button>
            )}
          </li>
        ))}
        {columns.length === 0 && <li className={css.status}>{t('picker.nothing')}</li>}
      </ul>
    </div>
  )
}
