import { Popover } from '@base-ui/react/popover'
import { memo, Suspense, useDeferredValue, useState } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { t, withMessages } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { classes } from '../ui/button.tsx'
import { holdKeys, releaseKeys } from '../ui/held-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'
import type { ListState } from './list-state.ts'
import { isModified, type ListLook, useSavedFilters } from './saved-filters.ts'

const FilterActions = lazyPart(
  async () => (await withMessages(import('./filter-actions.tsx'), 'dialogs')).FilterActions,
)

interface FilterMenuProps {
  readonly info: TableInfo
  readonly state: ListState
  readonly widths: ListLook['widths']
  readonly onState: (next: Partial<ListState>) => void
}

/** It follows in a rendering of its own, as the rows do: no click waits until it is rendered. */
export const FilterMenu = (props: FilterMenuProps) => <DeferredMenu {...useDeferredValue(props)} />

/** The current saved filter, whether the list differs from it, and actions on filters. */
const DeferredMenu = memo(function DeferredMenu(props: FilterMenuProps) {
  const { state } = props
  const { data: filters = [] } = useSavedFilters(useSession().user.sys_id, useIsStaff())
  const [isOpen, setOpen] = useState(false)
  const current = filters.find(({ sysId }) => sysId === state.filter)
  const isChanged = current !== undefined && isModified(current, state)
  const open = (next: boolean): void => {
    // What is typed until the script of the actions is there becomes the title of the new filter.
    if (next) holdKeys(() => setOpen(false))
    else releaseKeys()
    setOpen(next)
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger
        data-command={t('filters.save')}
        className={classes(css.saved, current !== undefined && css.savedNamed)}
      >
        <Icon name="star" size={14} /> <span className={css.savedTitle}>{current?.title ?? t('filters.save')}</span>
        {isChanged && <span className={css.modified}>{t('filters.modified')}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className={ui.layer}>
          <Popover.Popup className={classes(ui.popup, css.editor)} aria-label={t('filters.title')}>
            <Suspense fallback={<p className={ui.item}>{t('state.loading')}</p>}>
              <FilterActions {...props} current={current} isChanged={isChanged} onClose={() => open(false)} />
            </Suspense>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
})
