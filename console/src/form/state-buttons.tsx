import { useQuery } from '@tanstack/react-query'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import valueCss from '../ui/value.module.css'
import css from './form.module.css'
import type { Version } from './use-record.ts'

interface StateButtonsProps {
  readonly info: TableInfo
  readonly version: Version
  readonly isBusy: boolean
  readonly onMove: (state: string) => void
}

/** The states to which the record may move now, by their titles. */
export function StateButtons({ info, version, isBusy, onMove }: StateButtonsProps) {
  const column = info.columns.get('state')
  const state = String(version.row['state']?.value ?? '')
  const targets = useTransitions(info, state)
  if (column === undefined || version.row['state'] === undefined) return null
  return (
    <div className={css.states}>
      <span className={valueCss.state} data-state={state}>
        {version.row['state']?.display_value}
      </span>
      <div role="group" aria-label={t('form.states')} className={css.moves}>
        {column.choices
          .filter(({ value }) => targets.includes(value))
          .map(({ value, title }) => (
            <Button key={value} disabled={isBusy} onClick={() => onMove(value)}>
              {title}
            </Button>
          ))}
      </div>
    </div>
  )
}

/** The model of the nearest table decides. */
function useTransitions(info: TableInfo, from: string): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: ['transitions', info.entry.name, from],
    enabled: info.columns.has('state') && from !== '',
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const rows = await docket
        .table('sys_state_transition')
        .toArray(
          `state_model_id.table_id.nameIN${info.chain.join(',')}^state_model_id.active=true^from_state=${from}`,
          { fields: ['to_state', 'state_model_id.table_id.name'], display: 'all', max: 200, signal },
        )
      const tableOf = (row: (typeof rows)[number]): string => String(row['state_model_id.table_id.name']?.value)
      const nearest = info.chain.find((table) => rows.some((row) => tableOf(row) === table))
      return rows.filter((row) => tableOf(row) === nearest).map((row) => String(row['to_state']?.value))
    },
  })
  return data
}
