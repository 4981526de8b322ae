import { isBookkeeping } from '../form/texts.ts'
import { t } from '../messages/i18n.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import ui from '../ui/ui.module.css'
import type { ImportFile } from './import-file.ts'
import css from './list.module.css'

/** What the user decides before the check. */
export interface Mapping {
  /** For each name of the file the column of the table; '' leaves it out. */
  readonly columns: readonly string[]
  /** '': every row is a new record. */
  readonly key: string
  readonly isDisplayed: boolean
}

/** Columns that a file can fill, or that identify a record. */
const offeredColumns = (info: TableInfo): readonly Column[] =>
  [...info.columns.values()]
    .filter(({ name }) => name === 'sys_id' || !isBookkeeping(name))
    .sort((one, other) => one.title.localeCompare(other.title))

const plain = (text: string): string => text.trim().toLowerCase()

/** Columns with the same name or title as those of the file. Records are found by `sys_id` if the file has it: such a file was exported. */
export function firstMapping(info: TableInfo, { kind, names }: ImportFile): Mapping {
  const offered = offeredColumns(info)
  const taken = new Set<string>()
  const columns = names.map((name) => {
    const wanted = plain(name)
    const found =
      offered.find((column) => column.name === wanted) ?? offered.find((column) => plain(column.title) === wanted)
    if (found === undefined || taken.has(found.name)) return ''
    taken.add(found.name)
    return found.name
  })
  return { columns, key: taken.has('sys_id') ? 'sys_id' : '', isDisplayed: kind === 'csv' }
}

interface MappingFieldsProps {
  readonly info: TableInfo
  readonly file: ImportFile
  readonly mapping: Mapping
  readonly onMapping: (mapping: Mapping) => void
}

export function MappingFields({ info, file, mapping, onMapping }: MappingFieldsProps) {
  const { columns, key, isDisplayed } = mapping
  const offered = offeredColumns(info)
  /** A column is filled by one column of the file: the one that was chosen last. */
  const choose = (at: number, name: string): void => {
    const next = columns.map((each, index) => (index === at ? name : each === name ? '' : each))
    onMapping({ ...mapping, columns: next, key: next.includes(key) ? key : '' })
  }
  return (
    <>
      <p>{t('import.rows', { name: file.name, count: file.rows.length })}</p>
      <div className={css.mapping} role="group" aria-label={t('import.columns')}>
        {file.names.map((name, at) => (
          // Names of a file may be equal.
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a column of a file is
          <label key={at}>
            <span>
              {name || t('import.noName', { number: at + 1 })}
              <small className={css.hint}>{file.rows[0]?.cells[at]}</small>
            </span>
            <select className={ui.input} value={columns[at]} onChange={(event) => choose(at, event.target.value)}>
              <option value="">{t('import.leaveOut')}</option>
              {offered.map((column) => (
                <option key={column.name} value={column.name}>
                  {column.title}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <label className={css.labelled}>
        {t('import.key')}
        <select
          className={ui.input}
          value={key}
          onChange={(event) => onMapping({ ...mapping, key: event.target.value })}
        >
          <option value="">{t('import.noKey')}</option>
          {offered
            .filter(({ name }) => columns.includes(name))
            .map(({ name, title }) => (
              <option key={name} value={name}>
                {t('import.keyColumn', { title })}
              </option>
            ))}
        </select>
      </label>
      <label className={css.labelled}>
        {t('import.values')}
        <select
          className={ui.input}
          value={isDisplayed ? 'displayed' : 'stored'}
          onChange={(event) => onMapping({ ...mapping, isDisplayed: event.target.value === 'displayed' })}
        >
          <option value="displayed">{t('import.displayed')}</option>
          <option value="stored">{t('import.stored')}</option>
        </select>
      </label>
    </>
  )
}
