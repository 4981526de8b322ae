import { condition } from 'docket-client'
import { Suspense, useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { usePathColumns } from '../table/field-path.ts'
import { FieldPicker } from '../table/field-picker.tsx'
import type { TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import { releaseKeys } from '../ui/held-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import type { Group } from './condition-group.ts'
import { useGroupDrag } from './group-drag.ts'
import css from './list.module.css'

const ColumnsForAll = lazyPart(async () => (await import('./columns-for-all.tsx')).ColumnsForAll)

export interface ColumnListProps {
  readonly info: TableInfo
  readonly chosen: readonly string[]
  /** undefined: the columns of the view. */
  readonly onChange: (paths: readonly string[] | undefined) => void
  /** Stores the columns for every list of the table; undefined: resets to the view. `isLeft`: the page displays something else meanwhile. */
  readonly onStore: (paths: readonly string[] | undefined, isLeft?: boolean) => void
  /** The user may make them the columns of everybody. */
  readonly mayStoreForAll: boolean
  /** Whether the user's own columns, which are stored, would come back without those of the address. */
  readonly isOwn: boolean
}

/** Columns in their order. They are dragged; buttons do the same. */
export function ColumnList({ info, chosen, onChange, onStore, mayStoreForAll, isOwn }: ColumnListProps) {
  const [part, setPart] = useState<'columns' | 'add' | 'forAll'>('columns')
  useEffect(releaseKeys, [])
  if (part === 'forAll')
    return (
      <Suspense fallback={<p className={ui.item}>{t('state.loading')}</p>}>
        <ColumnsForAll
          info={info}
          paths={chosen}
          onCancel={() => setPart('columns')}
          onSaved={(isLeft) => {
            setPart('columns')
            onStore(undefined, isLeft)
          }}
        />
      </Suspense>
    )
  if (part === 'add')
    return (
      <FieldPicker
        info={info}
        onPick={(path) => {
          setPart('columns')
          if (!chosen.includes(path)) onChange([...chosen, path])
        }}
      />
    )
  return (
    <>
      <Columns info={info} chosen={chosen} onChange={onChange} />
      <div className={ui.row}>
        <Button look="quiet" onClick={() => setPart('add')}>
          <Icon name="plus" size={14} /> {t('columns.add')}
        </Button>
        <Button look="quiet" onClick={() => onStore(chosen)}>
          <Icon name="check" size={14} /> {t('columns.keep')}
        </Button>
        {mayStoreForAll && (
          <Button look="quiet" onClick={() => setPart('forAll')}>
            <Icon name="group" size={14} /> {t('columns.forAll')}
          </Button>
        )}
        <Button look="quiet" onClick={() => (isOwn ? onStore(undefined) : onChange(undefined))}>
          {t('columns.reset')}
        </Button>
      </div>
    </>
  )
}

function Columns({ info, chosen, onChange }: Pick<ColumnListProps, 'info' | 'chosen' | 'onChange'>) {
  const { columns, isPending } = usePathColumns(info, chosen)
  const move = (from: number, to: number): void => {
    const path = chosen[from]
    if (path !== undefined) onChange(chosen.toSpliced(from, 1).toSpliced(Math.max(0, to), 0, path))
  }
  // To the drag, rows are members of a group.
  const rows: Group = { kind: 'all', of: chosen.map((path) => condition(path, 'ISNOTEMPTY')) }
  const drag = useGroupDrag(rows, ([from = 0], [to = 0]) => move(from, to > from ? to - 1 : to))
  return (
    <ul>
      {chosen.map((path, at) => {
        const title = columns.get(path)?.title ?? (isPending ? '…' : t('filter.unreadable'))
        const place = String(at)
        return (
          <li
            key={path}
            className={classes(css.member, css.columnRow)}
            data-row={place}
            data-dragged={drag.dragged === place || undefined}
            data-drop={drag.mark?.path === place ? drag.mark.side : undefined}
          >
            <i
              data-grip={place}
              className={css.grip}
              title={t('columns.drag')}
              aria-hidden="true"
              onPointerDown={(event) => drag.begin([at], event)}
              onPointerMove={drag.follow}
              onPointerUp={drag.end}
              onPointerCancel={drag.cancel}
            >
              <Icon name="grip" size={14} />
            </i>
            <span>{title}</span>
            <button
              type="button"
              aria-label={t('columns.up', { title })}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            >
              <Icon name="up" size={14} />
            </button>
            <button
              type="button"
              aria-label={t('columns.down', { title })}
              disabled={at === chosen.length - 1}
              onClick={() => move(at, at + 1)}
            >
              <Icon name="down" size={14} />
            </button>
            <button
              type="button"
              aria-label={t('columns.remove', { title })}
              disabled={chosen.length === 1}
              onClick={() => onChange(chosen.filter((each) => each !== path))}
            >
              <Icon name="close" size={14} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
