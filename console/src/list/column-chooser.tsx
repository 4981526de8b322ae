import { Popover } from '@base-ui/react/popover'
import { Suspense } from 'react'
import { t, withMessages } from '../messages/i18n.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import { useHeldPopover } from '../ui/use-held-popover.ts'
import type { ColumnListProps } from './column-list.tsx'
import css from './list.module.css'

const ColumnList = lazyPart(async () => (await withMessages(import('./column-list.tsx'), 'dialogs')).ColumnList)

/** Opens the columns of the list. */
export function ColumnChooser(props: ColumnListProps) {
  const popover = useHeldPopover()
  return (
    <Popover.Root open={popover.isOpen} onOpenChange={popover.onOpenChange}>
      <Popover.Trigger render={<Button look="quiet" data-command={t('list.columns')} aria-label={t('list.columns')} />}>
        <Icon name="columns" /> <span className={css.wideOnly}>{t('list.columns')}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className={ui.layer}>
          <Popover.Popup className={classes(ui.popup, css.editor)} aria-label={t('list.columns')}>
            <Suspense fallback={<p className={ui.item}>{t('state.loading')}</p>}>
              <ColumnList {...props} />
            </Suspense>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
