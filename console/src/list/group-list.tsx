import { useQuery } from '@tanstack/react-query'
import type { Cell } from 'docket-client'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { usePathColumns } from '../table/field-path.ts'
import type { Column } from '../table/table-info.ts'
import { AsOf } from '../ui/as-of.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Loading, StillWorking } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { useRowHeight } from '../ui/use-look.ts'
import { type Group, mergeEqual } from './equal-groups.ts'
import { Grid, type GridProps } from './grid.tsx'
import { groupsQuery } from './groups.ts'
import { keepAt, keptAt, useHistoryEntry, useKeepOnLeave } from './kept-list.ts'
import css from './list.module.css'
import { queryOfGroup } from './list-query.ts'
import { leaveCellIn } from './open-cells.ts'
import { useHeld } from './use-held.ts'
import { useFirstRows } from './use-rows.ts'

interface GroupListProps extends Omit<GridProps, 'queryText' | 'total'> {
  readonly query: string
  /** One or two fields. */
  readonly group: readonly string[]
}

/** Rows of an opened group that are in view at once. */
const maxVisibleRows = 12

export function GroupList({ query, group, ...grid }: GroupListProps) {
  const { data: counted, error, refetch, dataUpdatedAt } = useQuery(groupsQuery(grid.info.entry.name, query, group))
  const { columns } = usePathColumns(grid.info, group)
  const columnAt = (depth: number): Column | undefined => columns.get(group[depth] ?? '')?.column
  const types = group.map((_path, depth) => columnAt(depth)?.type ?? '').join()
  const groups = useMemo(() => counted && mergeEqual(counted.groups, types.split(',')), [counted, types])
  const retry = (): void => void refetch()
  const entry = useHistoryEntry()
  const key = `${grid.info.entry.name}?${query}`
  const [left] = useState(() => keptAt(entry())?.groups.get(key))
  const opened = useRef(new Set(left?.keys))
  const scroller = useRef<HTMLDivElement>(null)
  useKeepOnLeave((at) => {
    keepAt(at).groups.set(key, { keys: new Set(opened.current), top: scroller.current?.scrollTop ?? 0 })
  })
  // Opened groups have their height before their rows are read.
  const attach = useCallback(
    (element: HTMLDivElement | null): void => {
      if (element !== null && scroller.current === null) element.scrollTop = left?.top ?? 0
      scroller.current = element
    },
    [left],
  )
  /** A group is the same under the same fields only. */
  const keyOf = (...texts: readonly (string | undefined)[]): string => JSON.stringify([query, ...group, ...texts])
  if (error !== null && groups === undefined)
    return (
      <div className={css.message}>
        <ErrorBanner error={error} onRetry={retry} />
      </div>
    )
  if (groups === undefined || (grid.isStale && groups.length === 0))
    return <Loading lines={8} onCancel={grid.onCancel} />
  if (groups.length === 0) return <Empty>{grid.empty}</Empty>
  const outer = [...Map.groupBy(groups, ({ texts }) => texts[0])]
  const rowsOf = ({ values, count }: Group) => (
    <GroupRows grid={grid} query={queryOfGroup(query, group, values)} count={count} />
  )
  return (
    <div ref={attach} className={css.groups} aria-busy={grid.isStale || undefined}>
      {error !== null && (
        <ErrorBanner error={error} onRetry={retry}>
          <AsOf readAtMs={dataUpdatedAt} />
        </ErrorBanner>
      )}
      {grid.isStale && (
        <div role="status" className={css.slow}>
          <StillWorking onCancel={grid.onCancel} />
        </div>
      )}
      {outer.map(([key, members]) => {
        const [first] = members
        if (first === undefined) return null
        const count = members.reduce((sum, member) => sum + member.count, 0)
        return (
          <GroupSection
            key={`${group[0]} ${key}`}
            opened={opened.current}
            id={keyOf(key)}
            cell={first.values[0]}
            column={columnAt(0)}
            count={count}
          >
            {group.length === 1
              ? () => rowsOf(first)
              : () =>
                  members.map((member) => (
                    <GroupSection
                      key={`${group[1]} ${member.texts[1]}`}
                      opened={opened.current}
                      id={keyOf(...member.texts)}
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
      {counted !== undefined && counted.total > counted.groups.length && (
        <p className={css.message} role="status">
          {t('group.cut', { count: counted.groups.length, total: counted.total })}
        </p>
      )}
    </div>
  )
}

interface GroupSectionProps {
  /** Of all groups, by id. */
  readonly opened: Set<string>
  readonly id: string
  readonly cell: Cell | undefined
  readonly column: Column | undefined
  readonly count: number
  readonly isInner?: boolean
  readonly children: () => ReactNode
}

function GroupSection({ opened, id, cell, column, count, isInner = false, children }: GroupSectionProps) {
  const [isOpen, setOpen] = useState(opened.has(id))
  // Also under another query, with which it stays open.
  useEffect(() => {
    if (isOpen) opened.add(id)
    else opened.delete(id)
  }, [opened, id, isOpen])
  const section = useRef<HTMLElement>(null)
  const toggle = (): void => {
    const leave = section.current && leaveCellIn(section.current)
    // A cell whose value is rejected stays open, and so does its group: what was typed would be lost.
    if (leave === null) setOpen(!isOpen)
    else void leave().then((isLeft) => isLeft && setOpen(false))
  }
  const title = titleOf(cell, column)
  return (
    <section ref={section} className={isInner ? css.inner : undefined}>
      <h2>
        <button type="button" className={css.groupHead} aria-expanded={isOpen} onClick={toggle}>
          <Icon name="chevron" size={14} />
          <span>{title}</span>
          <small>{t('list.total', { count })}</small>
        </button>
      </h2>
      {isOpen && children()}
    </section>
  )
}

function titleOf(cell: Cell | undefined, column: Column | undefined): string {
  if (cell?.value == null) return t('group.empty')
  if (column?.type === 'boolean') return t(cell.value === true ? 'value.yes' : 'value.no')
  // A record that the caller may not read.
  if (column?.type === 'reference' && cell.display_value === null) return t('value.notVisible')
  return cell.display_value || t('group.empty')
}

interface GroupRowsProps {
  readonly grid: Omit<GroupListProps, 'query' | 'group'>
  readonly query: string
  readonly count: number
}

/** The rows of a group stay until those of another query or with other columns are read. */
function GroupRows({ grid, query, count }: GroupRowsProps) {
  const { name } = grid.info.entry
  const fields = grid.columns.map(({ path }) => path)
  const key = JSON.stringify([query, fields])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the query and the columns
  const wanted = useMemo(() => ({ query, count, columns: grid.columns }), [key, count])
  const { isNew, hold } = useHeld<typeof wanted>(key)
  const hasRows = useFirstRows({ table: name, query, fields }, isNew && !grid.isStale)
  const { displayed, isStale } = hold(wanted, hasRows)
  const height = (Math.min(displayed.count, maxVisibleRows) + 1) * useRowHeight() + 16
  const total = { count: displayed.count, isOver: false }
  const { columns } = displayed
  return (
    <div className={css.groupRows} style={{ height }}>
      <Grid
        {...grid}
        columns={columns}
        queryText={displayed.query}
        total={total}
        isStale={isStale || grid.isStale}
        // The groups offer it.
        onCancel={undefined}
        empty={t('list.noMatch')}
      />
    </div>
  )
}
