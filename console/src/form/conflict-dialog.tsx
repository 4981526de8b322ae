import { Dialog } from '@base-ui/react/dialog'
import { useState } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import css from './form.module.css'
import type { Conflict, Texts } from './merge.ts'
import type { ConflictState } from './use-record.ts'

interface ConflictDialogProps {
  readonly info: TableInfo
  readonly state: ConflictState
  readonly onResolve: (chosen: Texts) => void
  readonly onCancel: () => void
}

/** The user chooses "mine" or "theirs" for each column. Nothing is preselected. */
export function ConflictDialog({ info, state, onResolve, onCancel }: ConflictDialogProps) {
  const [chosen, setChosen] = useState<Texts>({})
  const isComplete = state.conflicts.every(({ column }) => column in chosen)
  const who = state.theirs.row['sys_updated_by']?.display_value ?? t('conflict.somebody')
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onCancel()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{t('conflict.title')}</Dialog.Title>
          <Dialog.Description>
            {state.conflicts.length > 0
              ? t('conflict.hint', { who })
              : t('conflict.state', { who, state: state.theirs.row['state']?.display_value ?? '' })}
          </Dialog.Description>
          {state.conflicts.map((conflict) => (
            <fieldset key={conflict.column} className={css.conflict}>
              <legend>{info.columns.get(conflict.column)?.title ?? conflict.column}</legend>
              {(['mine', 'theirs'] as const).map((side) => (
                <label key={side}>
                  <input
                    type="radio"
                    name={conflict.column}
                    checked={chosen[conflict.column] === conflict[side]}
                    onChange={() => setChosen({ ...chosen, [conflict.column]: conflict[side] })}
                  />
                  <span>
                    <small>{t(`conflict.${side}`)}</small>
                    {displayedText(info, conflict, side, state)}
                  </span>
                </label>
              ))}
            </fieldset>
          ))}
          <div className={`${ui.row} ${ui.end}`}>
            <Button onClick={onCancel}>{t('action.cancel')}</Button>
            <Button look="primary" disabled={!isComplete} onClick={() => onResolve(chosen)}>
              {t('conflict.save')}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function displayedText(
  info: TableInfo,
  conflict: Conflict,
  side: 'mine' | 'theirs',
  { theirs }: ConflictState,
): string {
  if (side === 'theirs') return theirs.row[conflict.column]?.display_value ?? '—'
  const choice = info.columns.get(conflict.column)?.choices.find(({ value }) => value === conflict.mine)
  return choice?.title ?? (conflict.mine === '' ? '—' : conflict.mine)
}
