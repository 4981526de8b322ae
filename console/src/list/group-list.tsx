import type { Cell } from 'docket-client'
import { useState } from 'react'
import { t } from '../messages/i18n.ts'
import { usePathColumns } from '../table/field-path.ts'
import type { Column } from '../table/table-info.ts'
import { Icon } from '../ui/icon.tsx'
import { Empty, Loading } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { useRowHeight } from '../ui/use-look.ts'
import { Grid, type GridProps } from './grid.tsx'
import { type Group, useGroups } from './groups.ts'
import css from './list.module.css'
import { queryOfGroup } from './list-query.ts'

interface GroupListProps extends Omit<GridProps, 'queryText' | 'total' | 'empty'> {
  readonly query: string
  /** One or two fields. */
  readonly group: readonly string[]
}

/** Rows of an opened group that are in view at once. */
const maxVisibleRows = 12

export function GroupList({ query, group, ...grid }: GroupListProps) {
  const { data: groups, error, refetch } = useGroups(grid.info.entry.name, query, group)
  const { columns } = usePathColumns(grid.info, group)
  if (error !== null)
    return (
      <div className={css.message}>
        <ErrorBanner error={error} onRetry={() => void refetch()} />
      </div>
    )
  if (groups === undefined) return <Loading lines={8} />
  if (groups.length === 0) return <Empty>{t('list.noMatch')}</Empty>
  const outer = [...Map.groupBy(groups, ({ values }) => String(values[0]?.value ?? ''))]
  const columnAt = (depth: number): Column | undefined => columns.get(group[depth] ?? '')?.column
  const rowsOf = ({ values, count }: Group) => (
    <GroupRows grid={grid} query={queryOfGroup(query, group, values)} count={count} />
  )
  return (
    <div className={css.groups}>
      {outer.map(([key, members]) => {
        const [first] = members
        if (first === undefined) return null
        const count = members.reduce((sum, member) => sum + member.count, 0)
        return (
          <GroupSection key={key} cell={first.values[0]} column={columnAt(0)} count={count}>
            {group.length === 1
              ? () => rowsOf(first)
              : () =>
                  members.map((member) => (
                    <GroupSection
                      key={String(member.values[1]?.value ?? '')}
                      cell={member.values[1]}
                      column={columnAt(1)}
                      count={member.count}
                      isInner
                    >
                      {() => rowsOf(member)}
                    </GroupSection>
                  ))}
          </GroupSection>
        )
      })}
    </div>
  )
}

interface GroupSectionProps {
  readonly cell: Cell | undefined
  readonly column: Column | undefined
  readonly count: number
  readonly isInner?: boolean
  readonly children: () => React.ReactNode
}

function GroupSection({ cell, column, count, isInner = false, children }: GroupSectionProps) {
  const [isOpen, setOpen] = useState(false)
  const displayed =
    column?.type === 'boolean' && cell?.value != null
      ? t(cell.value === true ? 'value.yes' : 'value.no')
      : cell?.display_value
  const title = displayed == null || displayed === '' ? t('group.empty') : displayed
  return (
    <section className={isInner ? css.inner : undefined}>
      <h2>
        <button type="button" className={css.groupHead} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="chevron" size={14} />
          <span>{title}</span>
          <small>{t('list.total', { count })}</small>
        </button>
      </h2>
      {isOpen && children()}
    </section>
  )
}

interface GroupRowsProps {
  readonly grid: Omit<GroupListProps, 'query' | 'group'>
  readonly query: string
  readonly count: number
}

function GroupRows({ grid, query, count }: GroupRowsProps) {
  const height = (Math.min(count, maxVisibleRows) + 1) * useRowHeight() + 16
  return (
    <div className={css.groupRows} style={{ height }}>
      <Grid {...grid} queryText={query} total={{ count, isOver: false }} empty={t('list.noMatch')} />
    </div>
  )
}
