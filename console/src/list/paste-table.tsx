import { t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import type { Column } from '../table/table-info.ts'
import css from './list.module.css'
import type { PastedCell, PastedRow } from './paste-block.ts'

interface PasteTableProps {
  readonly columns: readonly PathColumn[]
  readonly rows: readonly PastedRow[]
}

/** What each cell would become. */
export function PasteTable({ columns, rows }: PasteTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className={css.pasted} tabIndex={0} aria-label={t('paste.cells')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('paste.record')}</th>
            {columns.map(({ path, title }) => (
              <th key={path} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.sysId}>
              <th scope="row">{row.name}</th>
              {columns.map(({ path, column }, at) => (
                <Cell key={path} cell={row.cells[at]} column={column} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({ cell, column }: { readonly cell: PastedCell | undefined; readonly column: Column }) {
  if (cell === undefined) return <td />
  if (cell.state === 'same') return <td className={css.hint}>{cell.old || '—'}</td>
  const text = column.choices.find(({ value }) => value === cell.text)?.title ?? cell.text
  return (
    <td data-state={cell.state}>
      <del>{cell.old || '—'}</del> → <ins>{text || '—'}</ins>
      {cell.reason !== null && <p className={css.reason}>{cell.reason}</p>}
    </td>
  )
}
