import type { TableEvents } from '../live/use-table-events.ts'
import { t } from '../messages/i18n.ts'
import css from './list.module.css'

/** Offers the records that others have created since the list was read. */
export function FreshRows({ created, apply }: Pick<TableEvents, 'created' | 'apply'>) {
  if (created === 0) return null
  return (
    <button type="button" className={css.fresh} onClick={apply}>
      {t('list.new', { count: created })}
    </button>
  )
}
