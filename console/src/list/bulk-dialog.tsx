import { useRef } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { BulkDelete } from './bulk-delete.tsx'
import { BulkUpdate } from './bulk-update.tsx'
import type { Selection } from './use-selection.ts'
import { WritingDialog } from './writing-dialog.tsx'

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
    <WritingDialog
      title={t(action === 'update' ? 'bulk.changeTitle' : 'bulk.deleteTitle', { table: info.entry.title })}
      onEscape={onEscape}
      onClose={onClose}
    >
      {action === 'update' ? (
        <BulkUpdate {...{ info, selection, query, onEscape, onClose }} />
      ) : (
        <BulkDelete {...{ info, selection, query, onEscape, onClose }} />
      )}
    </WritingDialog>
  )
}
