import { Dialog } from '@base-ui/react/dialog'
import { useRef } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import ui from '../ui/ui.module.css'
import { BulkDelete } from './bulk-delete.tsx'
import { BulkUpdate } from './bulk-update.tsx'
import type { Selection } from './use-selection.ts'

interface BulkDialogProps {
  readonly info: TableInfo
  readonly action: 'update' | 'delete'
  readonly selection: Selection
  readonly query: string
  readonly onClose: () => void
}

export function BulkDialog({ info, action, selection, query, onClose }: BulkDialogProps) {
  const onEscape = useRef<(() => void) | null>(null)
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && (onEscape.current ?? onClose)()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>
            {t(action === 'update' ? 'bulk.changeTitle' : 'bulk.deleteTitle', { table: info.entry.title })}
          </Dialog.Title>
          {action === 'update' ? (
            <BulkUpdate {...{ info, selection, query, onEscape, onClose }} />
          ) : (
            <BulkDelete {...{ info, selection, query, onEscape, onClose }} />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
