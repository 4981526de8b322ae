import { t } from '../messages/i18n.ts'
import type { PathColumn } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { exportLink } from './export-menu.tsx'
import css from './list.module.css'
import type { Total } from './use-rows.ts'
import type { Selection } from './use-selection.ts'

interface BulkBarProps {
  readonly info: TableInfo
  readonly selection: Selection
  readonly query: string
  readonly total: Total | null
  readonly fields: readonly PathColumn[]
  readonly onBulk: (action: 'update' | 'delete') => void
}

/** Max. selected records in the query of an export: a query has up to 65,536 characters. */
const maxNamed = 3_000

/** Actions on the selected records. */
export function BulkBar({ info, selection, query, total, fields, onBulk }: BulkBarProps) {
  const { sysIds, isAll } = selection
  const { name, may_write, may_delete } = info.entry
  const count = isAll ? (total?.count ?? 0) : sysIds.size
  const exported = isAll ? query : `sys_idIN${[...sysIds].join(',')}`
  const paths = fields.map(({ path }) => path)
  return (
    <div className={css.bulk} role="toolbar" aria-label={t('selected.title')}>
      <strong role="status">{t('selected.count', { count })}</strong>
      {!isAll && total !== null && !total.isOver && total.count > sysIds.size && (
        <Button look="quiet" onClick={selection.selectAll}>
          {t('selected.all', { count: total.count })}
        </Button>
      )}
      {may_write && (
        <Button onClick={() => onBulk('update')}>
          <Icon name="edit" size={14} /> {t('selected.change')}
        </Button>
      )}
      {may_delete && (
        <Button className={ui.danger} onClick={() => onBulk('delete')}>
          <Icon name="trash" size={14} /> {t('selected.delete')}
        </Button>
      )}
      {(isAll || sysIds.size <= maxNamed) && (
        <a className={css.bulkLink} {...exportLink({ table: name, query: exported, fields: paths }, 'csv', true)}>
          <Icon name="download" size={14} /> {t('export.title')}
        </a>
      )}
      <Button look="quiet" onClick={() => selection.clear()}>
        {t('selected.clear')}
      </Button>
    </div>
  )
}
