import { Dialog } from '@base-ui/react/dialog'
import { useState } from 'react'
import { t } from '../messages/i18n.ts'
import { useRecordNames } from '../table/field-path.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { Field } from './field.tsx'
import css from './form.module.css'
import type { Conflict, Texts } from './merge.ts'
import { readDocument, wordsOf } from './rich-document.ts'
import type { ConflictState } from './saved-record.ts'
import { authorOf, listValues, textsOf } from './texts.ts'

interface ConflictDialogProps {
  readonly info: TableInfo
  readonly state: ConflictState
  readonly isSaving: boolean
  readonly onResolve: (chosen: Texts) => void
  readonly onCancel: () => void
}

const SIDES = ['mine', 'theirs', 'other'] as const
type Side = (typeof SIDES)[number]

/** Column by column: mine, theirs or another value. Nothing is chosen beforehand. */
export function ConflictDialog({ info, state, isSaving, onResolve, onCancel }: ConflictDialogProps) {
  const { conflicts, theirs } = state
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({})
  const [others, setOthers] = useState<Texts>({})
  const who = authorOf(theirs.row)
  const chosenText = (conflict: Conflict): string => {
    const side = sides[conflict.column] ?? 'mine'
    return side === 'other' ? (others[conflict.column] ?? conflict.mine) : conflict[side]
  }
  const theirTexts = textsOf(theirs.row, info)
  /** The value of a column as it is going to be: choices depend on it. */
  const textIn = (name: string): string => {
    const met = conflicts.find(({ column }) => column === name)
    return met === undefined ? (state.edits[name] ?? theirTexts[name] ?? '') : chosenText(met)
  }
  const chosen = (): Texts => Object.fromEntries(conflicts.map((each) => [each.column, chosenText(each)]))
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onCancel()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{t('conflict.title')}</Dialog.Title>
          <Dialog.Description>
            {conflicts.length > 0
              ? t('form.conflictHint', { who })
              : t('form.conflictState', { who, state: theirs.row['state']?.display_value ?? '' })}
          </Dialog.Description>
          {conflicts.map((conflict) => {
            const column = info.columns.get(conflict.column)
            return column === undefined ? null : (
              <ConflictColumn
                key={conflict.column}
                column={column}
                conflict={conflict}
                who={who}
                side={sides[conflict.column] ?? null}
                other={others[conflict.column] ?? conflict.mine}
                parentText={column.dependentOn === null ? '' : textIn(column.dependentOn)}
                onSide={(side) => setSides({ ...sides, [conflict.column]: side })}
                onOther={(text) => setOthers({ ...others, [conflict.column]: text })}
              />
            )
          })}
          <div className={`${ui.row} ${ui.end}`}>
            <Button onClick={onCancel}>{t('action.cancel')}</Button>
            <Button
              look="primary"
              disabled={isSaving || conflicts.some(({ column }) => !(column in sides))}
              onClick={() => onResolve(chosen())}
            >
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
  /** Text of the column on which the choices depend. */
  readonly parentText: string
  readonly onSide: (side: Side) => void
  readonly onOther: (text: string) => void
}

function ConflictColumn({ column, conflict, who, side, other, parentText, onSide, onOther }: ConflictColumnProps) {
  const labels: Readonly<Record<Side, string>> = {
    mine: t('conflict.mine'),
    theirs: who,
    other: t('form.conflictOther'),
  }
  return (
    <fieldset className={css.conflict}>
      <legend>{column.title}</legend>
      <p className={css.conflictBefore}>
        {t('form.conflictBefore')} <EditedText column={column} text={conflict.opened} />
      </p>
      {SIDES.map((each) => (
        <label key={each}>
          <input type="radio" name={column.name} checked={side === each} onChange={() => onSide(each)} />
          <span>
            <small>{labels[each]}</small>
            {each !== 'other' && <EditedText column={column} text={conflict[each]} />}
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
          error={undefined}
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
  if (type === 'wysiwyg') return wordsOf(readDocument(text))
  const titleOf = (value: string): string => {
    const title = choices.find((choice) => choice.value === value)?.title
    return title ?? (isId(value) ? (nameOf(target ?? '', value) ?? t('value.notVisible')) : value)
  }
  return values.map(titleOf).join(', ')
}
