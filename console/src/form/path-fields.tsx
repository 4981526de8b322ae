import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { usePathColumns } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { ErrorBanner } from '../ui/states.tsx'
import { Value } from '../ui/value.tsx'
import css from './form.module.css'

interface PathFieldsProps {
  readonly info: TableInfo
  readonly sysId: string
  /** Of the displayed version of the record: another one may refer to others. */
  readonly etag: string
  readonly paths: readonly string[]
}

/** Values of records to which this one refers, as the view names them. They are changed in their own records. */
export function PathFields({ info, sysId, etag, paths }: PathFieldsProps) {
  const { name } = info.entry
  const { time_zone: timeZone } = useSession()
  const { columns } = usePathColumns(info, paths)
  const { data, error, refetch } = useQuery({
    queryKey: ['paths-of', name, sysId, paths, etag],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await docket.table(name).get(sysId, { fields: [...columns.keys()], display: 'all', signal })).row,
    enabled: columns.size > 0,
  })
  if (error !== null && data === undefined) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  return [...columns.values()].map(({ path, title, column }) => (
    <div key={path} className={css.field}>
      <span className={css.label}>{title}</span>
      <div className={css.readOnly}>
        <Value cell={data?.[path]} column={column} timeZone={timeZone} />
      </div>
    </div>
  ))
}
