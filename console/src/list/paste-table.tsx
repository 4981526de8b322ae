import { t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
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
              {columns.map(({ path }, at) => (
                <Cell key={path} cell={row.cells[at]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({ cell }: { readonly cell: PastedCell | undefined }) {
  if (cell === undefined) return <td />
  if (cell.state === 'same') return <td className={css.hint}>{cell.old || '—'}</td>
  return (
    <td data-state={cell.state}>
      <del>{cell.old || '—'}</del> → <ins>{cell.text || '—'}</ins>
      {cell.reason !== null && <p className={css.reason}>{cell.reason}</p>}
    </td>
  )
}
