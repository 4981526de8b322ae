import { Popover } from '@base-ui/react/popover'
import { Suspense, useState } from 'react'
import { t, withMessages } from '../messages/i18n.ts'
import { usePathColumns } from '../table/field-path.ts'
import { FieldPicker } from '../table/field-picker.tsx'
import type { TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'

const ColumnsForAll = lazyPart(
  async () => (await withMessages(import('./columns-for-all.tsx'), 'dialogs')).ColumnsForAll,
)

interface ColumnChooserProps {
  readonly info: TableInfo
  readonly chosen: readonly string[]
  /** undefined: the columns of the view. */
  readonly onChange: (paths: readonly string[] | undefined) => void
  /** Stores the columns for every list of the table; undefined: resets to the view. */
  readonly onStore: (paths: readonly string[] | undefined) => void
  /** The user may make them the columns of everybody. */
  readonly mayStoreForAll: boolean
  /** Whether the user has stored own columns. */
  readonly isOwn: boolean
}

/** Columns in their order. Keys and buttons move them. */
export function ColumnChooser({ info, chosen, onChange, onStore, mayStoreForAll, isOwn }: ColumnChooserProps) {
  const [part, setPart] = useState<'columns' | 'add' | 'forAll'>('columns')
  const { columns, isPending } = usePathColumns(info, chosen)
  const move = (at: number, by: number): void => {
    const next = [...chosen]
    const [path] = next.splice(at, 1)
    if (path !== undefined) next.splice(Math.max(0, at + by), 0, path)
    onChange(next)
  }
  return (
    <Popover.Root onOpenChange={() => setPart('columns')}>
      <Popover.Trigger
        render={<Button look="quiet" data-command={t('columns.title')} aria-label={t('columns.title')} />}
      >
        <Icon name="columns" /> <span className={css.wideOnly}>{t('columns.title')}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className={ui.layer}>
          <Popover.Popup className={classes(ui.popup, css.editor)} aria-label={t('columns.title')}>
            {part === 'forAll' ? (
              <Suspense fallback={<p className={ui.item}>{t('state.loading')}</p>}>
                <ColumnsForAll
                  info={info}
                  paths={chosen}
                  onCancel={() => setPart('columns')}
                  onSaved={() => {
                    setPart('columns')
                    onStore(undefined)
                  }}
                />
              </Suspense>
            ) : part === 'add' ? (
              <FieldPicker
                info={info}
                onPick={(path) => {
                  setPart('columns')
                  if (!chosen.includes(path)) onChange([...chosen, path])
                }}
              />
            ) : (
              <>
                <ul>
                  {chosen.map((path, at) => {
                    const title = columns.get(path)?.title ?? (isPending ? '…' : t('filter.unreadable'))
                    return (
                      <li key={path} className={css.columnRow}>
                        <span>{title}</span>
                        <button
                          type="button"
                          aria-label={t('columns.up', { title })}
                          disabled={at === 0}
                          onClick={() => move(at, -1)}
                        >
                          <Icon name="up" size={14} />
                        </button>
                        <button
                          type="button"
                          aria-label={t('columns.down', { title })}
                          disabled={at === chosen.length - 1}
                          onClick={() => move(at, 1)}
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
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
