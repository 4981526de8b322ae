import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import valueCss from '../ui/value.module.css'
import css from './form.module.css'
import type { Version } from './record-query.ts'

interface StateButtonsProps {
  readonly info: TableInfo
  readonly version: Version
  /** null: any state. */
  readonly targets: readonly string[] | null
  readonly isBusy: boolean
  readonly onMove: (state: string) => void
}

/** The state, and those to which the user may change it now, by title. */
export function StateButtons({ info, version, targets, isBusy, onMove }: StateButtonsProps) {
  const column = info.columns.get('state')
  const state = String(version.row['state']?.value ?? '')
  if (column === undefined || version.row['state'] === undefined) return null
  return (
    <>
      <span className={valueCss.state} data-state={state}>
        {version.row['state']?.display_value}
      </span>
      <div role="group" aria-label={t('form.states')} aria-keyshortcuts="S" className={css.moves}>
        {column.choices
          // The targets of the earlier state are known until those of the new one have been read.
          .filter(({ value }) => value !== state && (targets === null || targets.includes(value)))
          .map(({ value, title }) => (
            <Button
              key={value}
              data-command={`${column.title}: ${title}`}
              disabled={isBusy}
              // The second click of a double click meets another state, which has taken the place of the first.
              onClick={({ detail: clicks }) => clicks < 2 && onMove(value)}
            >
              {title}
            </Button>
          ))}
      </div>
    </>
  )
}
