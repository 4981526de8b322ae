import { Popover } from '@base-ui/react/popover'
import { memo, Suspense, useDeferredValue } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { t, withMessages } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import { useHeldPopover } from '../ui/use-held-popover.ts'
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
  const { user } = useSession()
  const { data: filters = [] } = useSavedFilters(user.sys_id, useIsStaff())
  const popover = useHeldPopover()
  const current = filters.find(({ sysId }) => sysId === state.filter)
  const isChanged = current !== undefined && isModified(current, state)
  return (
    <Popover.Root open={popover.isOpen} onOpenChange={popover.onOpenChange}>
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
            <Suspense fallback={<p className={css.sentence}>{t('state.loading')}</p>}>
              <FilterActions {...props} {...{ current, isChanged }} onClose={() => popover.onOpenChange(false)} />
            </Suspense>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
})
