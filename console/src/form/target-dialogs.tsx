import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'
import { useSession } from '../app.tsx'
import { RecordFacts } from '../list/peek.tsx'
import { t } from '../messages/i18n.ts'
import type { Reference } from '../table/reference-picker.tsx'
import type { Column, TableInfo } from '../table/table-info.ts'
import { tableQuery, useTable } from '../table/use-table.ts'
import { Button } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { useIsGone } from '../ui/use-is-gone.ts'
import { isEditable } from './editable.ts'
import { isBlank, SectionFields } from './form-section.tsx'
import { defaultsOf, sectionsOfNew } from './new-record.ts'
import { useRecordEdits } from './use-record.ts'

interface PeekDialogProps {
  readonly table: string
  readonly sysId: string
  readonly onClose: () => void
}

/** The record that a field refers to, without leaving the form. */
export function PeekDialog({ table, sysId, onClose }: PeekDialogProps) {
  return (
    <TableDialog table={table} title={({ entry }) => entry.title} onClose={onClose}>
      {(info) => (
        <>
          <RecordFacts info={info} sysId={sysId} isTitled />
          <div className={`${ui.row} ${ui.end}`}>
            <Dialog.Close render={<Button>{t('action.close')}</Button>} />
          </div>
        </>
      )}
    </TableDialog>
  )
}

interface CreateDialogProps {
  readonly table: string
  /** What was typed into the field that needs the record. */
  readonly typed: string
  readonly onCreated: (created: Reference) => void
  readonly onClose: () => void
}

/** A new record for the field, without leaving the form. What is typed here has a draft, as in the form of a new record. */
export function CreateDialog({ table, typed, onCreated, onClose }: CreateDialogProps) {
  return (
    <TableDialog table={table} title={({ entry }) => t('nav.newOf', { table: entry.title })} onClose={onClose}>
      {(info) => <NewTarget info={info} typed={typed} onCreated={onCreated} />}
    </TableDialog>
  )
}

interface TableDialogProps {
  readonly table: string
  readonly title: (info: TableInfo) => string
  readonly onClose: () => void
  readonly children: (info: TableInfo) => ReactNode
}

function TableDialog({ table, title, onClose, children }: TableDialogProps) {
  const described = useTable(table)
  const { data: info, error, refetch } = described
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{info === undefined ? t('state.loading') : title(info)}</Dialog.Title>
          {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
          {info !== undefined
            ? children(info)
            : error === null && <FirstRead queryKey={tableQuery(table).queryKey} read={described} lines={6} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const idPrefix = 'target'

function NewTarget({ info, typed, onCreated }: Pick<CreateDialogProps, 'typed' | 'onCreated'> & { info: TableInfo }) {
  const { user } = useSession()
  const display = info.columns.get(info.displayColumn)
  const preset = display !== undefined && mayFill(display) && typed !== '' ? { [display.name]: typed } : {}
  const isGone = useIsGone()
  const initial = useRef({ preset, defaults: defaultsOf(info, user.sys_id) }).current
  const edits = useRecordEdits(info, 'new', { version: null, isCached: false }, initial, idPrefix)
  const sections = sectionsOfNew(info, undefined).filter((each) => !isBlank(info, each, edits))
  const save = async (): Promise<void> => {
    const saved = await edits.save()
    // If the user has closed the dialog, they may have chosen another record.
    if (saved === null || isGone.current) return
    const { [info.displayColumn]: name, sys_id } = saved.row
    onCreated({ value: String(sys_id?.value), label: name?.display_value ?? String(sys_id?.value) })
  }
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(event) => {
        event.preventDefault()
        // The form below the dialog is its parent in React.
        event.stopPropagation()
        void save()
      }}
    >
      {edits.error !== null && <ErrorBanner error={edits.error} isWrite onRetry={() => void save()} />}
      {sections.map((section) => (
        <SectionFields
          key={section.title}
          info={info}
          section={section}
          edits={edits}
          mayWrite={mayFill}
          idPrefix={idPrefix}
        />
      ))}
      <div className={`${ui.row} ${ui.end}`}>
        <Dialog.Close render={<Button>{t('action.cancel')}</Button>} />
        <Button type="submit" look="primary" disabled={edits.isSaving}>
          {t('form.create')}
        </Button>
      </div>
    </form>
  )
}

const mayFill = (column: Column): boolean => isEditable(column) && column.rights.create !== 'never'
