import { Dialog } from '@base-ui/react/dialog'
import { type RefObject, useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { useRecordNames } from '../table/field-path.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { Field } from './field.tsx'
import css from './form.module.css'
import type { Conflict } from './merge.ts'
import { readDocument } from './rich-document.ts'
import { RichTextView } from './rich-text-view.tsx'
import type { ConflictState } from './saved-record.ts'
import { authorOf, listValues, nameText, textsOf } from './texts.ts'
import type { RecordEdits } from './use-record.ts'

interface ConflictDialogProps {
  readonly info: TableInfo
  readonly state: ConflictState
  /** What was typed in it, by column, also before it was closed and the conflict was met again. */
  readonly typed: RefObject<Readonly<Record<string, TypedOther>>>
  readonly edits: Pick<RecordEdits, 'isSaving' | 'error' | 'fieldErrors' | 'resolve' | 'cancelConflict' | 'cancelSave'>
}

/** A third text, in place of both. */
export interface TypedOther {
  readonly text: string
  /** The user's own text when it was typed. */
  readonly mine: string
}

const SIDES = ['mine', 'theirs', 'other'] as const
type Side = (typeof SIDES)[number]

interface Decision {
  readonly side: Side
  /** The other user's text when it was made. If they have changed the column once more, the user decides again. */
  readonly theirs: string
}

/** Column by column: mine, theirs or another value. Nothing is chosen beforehand. While it is saved, the dialog stays and nothing changes in it. */
export function ConflictDialog({ info, state, typed, edits }: ConflictDialogProps) {
  const { conflicts, theirs } = state
  const { isSaving, error, fieldErrors } = edits
  const [decisions, setDecisions] = useState<Readonly<Record<string, Decision>>>({})
  const [others, setOthers] = useState(typed.current)
  const otherOf = ({ column, mine }: Conflict): string => (others[column]?.mine === mine ? others[column].text : mine)
  const typeOther = ({ column, mine }: Conflict, text: string): void => {
    typed.current = { ...typed.current, [column]: { text, mine } }
    setOthers(typed.current)
  }
  const who = authorOf(theirs.row)
  const [faulty] = Object.keys(fieldErrors)
  // While it is saved, no field takes the focus.
  useEffect(() => {
    if (!isSaving && faulty !== undefined) document.getElementById(`conflict-${faulty}`)?.focus()
  }, [isSaving, faulty])
  const sideOf = (conflict: Conflict): Side | null => {
    const decision = decisions[conflict.column]
    return decision?.theirs === conflict.theirs ? decision.side : null
  }
  const chosenText = (conflict: Conflict): string => {
    const side = sideOf(conflict) ?? 'mine'
    return side === 'other' ? otherOf(conflict) : conflict[side]
  }
  const theirTexts = textsOf(theirs.row, info)
  /** The value of a column as it is going to be: choices depend on it. */
  const textIn = (name: string): string => {
    const met = conflicts.find(({ column }) => column === name)
    return met === undefined ? (state.edits[name] ?? theirTexts[name] ?? '') : chosenText(met)
  }
  const isDecided = conflicts.every((each) => sideOf(each) !== null)
  const save = (): void => {
    if (!isSaving && isDecided)
      void edits.resolve(Object.fromEntries(conflicts.map((each) => [each.column, chosenText(each)])))
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && !isSaving && edits.cancelConflict()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{t('conflict.title')}</Dialog.Title>
          <Dialog.Description>
            {conflicts.length > 0
              ? t('form.conflictHint', { who })
              : t('form.conflictState', { who, state: theirs.row['state']?.display_value ?? '' })}
          </Dialog.Description>
          {state.isAgain === true && (
            <p role="status" className={`${ui.banner} ${ui.bannerNote}`}>
              {t('form.conflictAgain', { who })}
            </p>
          )}
          {error !== null && <ErrorBanner error={error} isWrite onRetry={isDecided ? save : undefined} />}
          {conflicts.map((conflict) => {
            const column = info.columns.get(conflict.column)
            return column === undefined ? null : (
              <ConflictColumn
                key={conflict.column}
                column={column}
                conflict={conflict}
                who={who}
                side={sideOf(conflict)}
                other={otherOf(conflict)}
                error={fieldErrors[conflict.column]}
                isDisabled={isSaving}
                parentText={column.dependentOn === null ? '' : textIn(column.dependentOn)}
                onSide={(side) => setDecisions({ ...decisions, [conflict.column]: { side, theirs: conflict.theirs } })}
                onOther={(text) => typeOther(conflict, text)}
              />
            )
          })}
          <div className={`${ui.row} ${ui.end}`}>
            <Button onClick={isSaving ? edits.cancelSave : edits.cancelConflict}>{t('action.cancel')}</Button>
            {/* Not `disabled` while it is saved, so that the focus stays on it. */}
            <Button look="primary" disabled={!isSaving && !isDecided} aria-disabled={isSaving} onClick={save}>
              {t('form.conflictSave')}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface ConflictColumnProps {
  readonly column: Column
  readonly conflict: Conflict
  readonly who: string
  readonly side: Side | null
  readonly other: string
  readonly error: string | undefined
  readonly isDisabled: boolean
  /** Text of the column on which the choices depend. */
  readonly parentText: string
  readonly onSide: (side: Side) => void
  readonly onOther: (text: string) => void
}

function ConflictColumn(props: ConflictColumnProps) {
  const { column, conflict, who, side, other, error, isDisabled, parentText, onSide, onOther } = props
  const labels: Readonly<Record<Side, string>> = {
    mine: t('conflict.mine'),
    theirs: who,
    other: t('form.conflictOther'),
  }
  return (
    <fieldset className={css.conflict} disabled={isDisabled}>
      <legend>{column.title}</legend>
      <div className={css.conflictBefore}>
        {t('form.conflictBefore')} <EditedText column={column} text={conflict.opened} />
      </div>
      {SIDES.map((each) => (
        <label key={each}>
          <input type="radio" name={column.name} checked={side === each} onChange={() => onSide(each)} />
          <span>
            <small>{labels[each]}</small>
            {each !== 'other' && <EditedText column={column} text={conflict[each]} />}
            {each === 'other' && side !== 'other' && other !== conflict.mine && (
              <EditedText column={column} text={other} />
            )}
          </span>
        </label>
      ))}
      {side === 'other' && (
        <Field
          column={column}
          cell={undefined}
          text={other}
          isEdited={false}
          canWrite
          error={error}
          parentText={parentText}
          idPrefix="conflict"
          onChange={onOther}
        />
      )}
    </fieldset>
  )
}

/** An edited text as people read it: the title of a choice, the name of a record. */
function EditedText({ column, text }: { readonly column: Column; readonly text: string }) {
  const { type, target, choices } = column
  const values = type === 'list' ? listValues(text) : [text]
  const isId = (value: string): boolean => target !== null && /^\d+$/.test(value)
  const nameOf = useRecordNames(values.filter(isId).map((sysId) => ({ table: target ?? '', sysId })))
  if (text === '') return '—'
  if (type === 'boolean') return t(text === 'true' ? 'value.yes' : 'value.no')
  const document = type === 'wysiwyg' ? readDocument(text) : null
  // The two may differ in nothing but bold words or a list.
  if (document !== null) return <RichTextView document={document} />
  const titleOf = (value: string): string => {
    const title = choices.find((choice) => choice.value === value)?.title
    return title ?? (isId(value) ? nameText(nameOf(target ?? '', value)) : value)
  }
  return values.map(titleOf).join(', ')
}
