import { Dialog } from '@base-ui/react/dialog'
import type { FormEvent } from 'react'
import { t } from '../messages/i18n.ts'
import type { Column } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { Field } from './field.tsx'
import css from './form.module.css'
import type { RecordEdits } from './use-record.ts'

interface RequiredDialogProps {
  /** Columns that the change of state needs. */
  readonly columns: readonly Column[]
  readonly edits: RecordEdits
  readonly stateTitle: string
  readonly onSave: () => void
  readonly onCancel: () => void
}

/** One dialog for all columns that a change of state needs. They are edits of the form: what is typed stays if the dialog is closed. */
export function RequiredDialog({ columns, edits, stateTitle, onSave, onCancel }: RequiredDialogProps) {
  const textOf = (name: string): string => edits.edits[name] ?? edits.openedTexts[name] ?? ''
  const isComplete = columns.every(({ name }) => textOf(name) !== '')
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onCancel()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{t('required.title', { state: stateTitle })}</Dialog.Title>
          <form
            className={css.section}
            onSubmit={(event: FormEvent) => {
              event.preventDefault()
              event.stopPropagation()
              // The second press of a double one would save again, and undo would write back what the first one has written.
              if (isComplete && !edits.isSaving) onSave()
            }}
          >
            {edits.error !== null && <ErrorBanner error={edits.error} isWrite onRetry={onSave} />}
            {columns.map((column) => (
              <Field
                key={column.name}
                idPrefix="required"
                column={{ ...column, isMandatory: true }}
                cell={edits.opened?.row[column.name]}
                text={textOf(column.name)}
                isEdited={column.name in edits.edits}
                canWrite
                error={edits.fieldErrors[column.name]}
                parentText={column.dependentOn === null ? '' : textOf(column.dependentOn)}
                onChange={(text) => edits.edit(column.name, text)}
              />
            ))}
            <div className={`${ui.row} ${ui.end}`}>
              <Button onClick={onCancel}>{t('action.cancel')}</Button>
              <Button type="submit" look="primary" disabled={!isComplete || edits.isSaving}>
                {t('edit.save')}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
