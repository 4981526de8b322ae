import { Popover } from '@base-ui/react/popover'
import { Suspense, useEffect } from 'react'
import { t, withMessages } from '../messages/i18n.ts'
import { usePathColumns } from '../table/field-path.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import { releaseKeys } from '../ui/held-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import { useHeldPopover } from '../ui/use-held-popover.ts'
import css from './list.module.css'
import { maxGroups } from './list-state.ts'

const FieldPicker = lazyPart(
  async () => (await withMessages(import('../table/field-picker.tsx'), 'dialogs')).FieldPicker,
)

interface GroupMenuProps {
  readonly info: TableInfo
  readonly group: readonly string[]
  readonly onChange: (group: readonly string[]) => void
}

/** Whether a list usually has few different values of the column. */
const isGroupable = ({ type, choices }: Column): boolean =>
  choices.length > 0 || ['reference', 'boolean', 'choice', 'string', 'integer', 'smallinteger'].includes(type)

/** Chooses one or two fields that group the list. */
export function GroupMenu({ info, group, onChange }: GroupMenuProps) {
  const popover = useHeldPopover()
  const isFull = group.length >= maxGroups
  useEffect(() => {
    if (popover.isOpen && isFull) releaseKeys()
  }, [popover.isOpen, isFull])
  const { columns } = usePathColumns(info, group)
  const titles = group.map((path) => columns.get(path)?.title ?? path)
  const label = titles.join(', ')
  return (
    <Popover.Root open={popover.isOpen} onOpenChange={popover.onOpenChange}>
      <Popover.Trigger
        render={
          <Button
            look="quiet"
            data-command={t('group.title')}
            aria-label={label === '' ? t('group.title') : t('group.by', { titles: label })}
          />
        }
      >
        <Icon name="group" /> <span className={classes(css.wideOnly, css.savedTitle)}>{label || t('group.title')}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className={ui.layer}>
          <Popover.Popup className={classes(ui.popup, css.editor)} aria-label={t('group.title')}>
            <ul>
              {group.map((path, at) => (
                <li key={path} className={css.columnRow}>
                  <span>{titles[at]}</span>
                  <button
                    type="button"
                    aria-label={t('group.remove', { title: titles[at] ?? path })}
                    onClick={() => onChange(group.filter((each) => each !== path))}
                  >
                    <Icon name="close" size={14} />
                  </button>
                </li>
              ))}
            </ul>
            {!isFull && (
              <Suspense fallback={<p className={ui.item}>{t('state.loading')}</p>}>
                <FieldPicker
                  info={info}
                  accepts={isGroupable}
                  onPick={(path) => {
                    popover.onOpenChange(false)
                    if (!group.includes(path)) onChange([...group, path])
                  }}
                />
              </Suspense>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
