import { Dialog } from '@base-ui/react/dialog'
import { useState } from 'react'
import { t } from '../messages/i18n.ts'
import { useRecordName } from '../table/field-path.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { Field } from './field.tsx'
import css from './form.module.css'
import type { Conflict, Texts } from './merge.ts'
import { authorOf, listValues } from './texts.ts'
import type { ConflictState } from './use-record.ts'

interface ConflictDialogProps {
  readonly info: TableInfo
  readonly state: ConflictState
  readonly onResolve: (chosen: Texts) => void
  readonly onCancel: () => void
}

const SIDES = ['mine', 'theirs', 'other'] as const
type Side = (typeof SIDES)[number]

/** Column by column: mine, theirs or another value. Nothing is chosen beforehand. */
export function ConflictDialog({ info, state, onResolve, onCancel }: ConflictDialogProps) {
  const { conflicts, theirs } = state
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({})
  const [others, setOthers] = useState<Texts>({})
  const who = authorOf(theirs.row)
  const chosenText = (conflict: Conflict): string => {
    const side = sides[conflict.column] ?? 'mine'
    return side === 'other' ? (others[conflict.column] ?? conflict.mine) : conflict[side]
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
              ? t('conflict.hint', { who })
              : t('conflict.state', { who, state: theirs.row['state']?.display_value ?? '' })}
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
                onSide={(side) => setSides({ ...sides, [conflict.column]: side })}
                onOther={(text) => setOthers({ ...others, [conflict.column]: text })}
              />
            )
          })}
          <div className={`${ui.row} ${ui.end}`}>
            <Button onClick={onCancel}>{t('action.cancel')}</Button>
            <Button
              look="primary"
              disabled={conflicts.some(({ column }) => !(column in sides))}
              onClick={() => onResolve(chosen())}
            >
              {t('conflict.save')}
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
  readonly onSide: (side: Side) => void
  readonly onOther: (text: string) => void
}

function ConflictColumn({ column, conflict, who, side, other, onSide, onOther }: ConflictColumnProps) {
  const labels: Readonly<Record<Side, string>> = {
    mine: t('conflict.mine'),
    theirs: who,
    other: t('conflict.other'),
  }
  return (
    <fieldset className={css.conflict}>
      <legend>{column.title}</legend>
      <p className={css.conflictBefore}>
        {t('conflict.before')} <EditedText column={column} text={conflict.opened} />
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
          parentText=""
          idPrefix="conflict"
          onChange={onOther}
        />
      )}
    </fieldset>
  )
}

/** An edited text as people read it: the title of a choice, the name of a record. */
function EditedText({ column, text }: { readonly column: Column; readonly text: string }) {
  const name = useRecordName(column.target, text)
  if (text === '') return '—'
  const titleOf = (value: string): string => column.choices.find((choice) => choice.value === value)?.title ?? value
  if (column.type === 'boolean') return t(text === 'true' ? 'value.yes' : 'value.no')
  if (column.type === 'list' && column.target === null) return listValues(text).map(titleOf).join(', ')
  return name ?? titleOf(text)
}
