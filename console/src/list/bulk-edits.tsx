import { ListEditor, useMemberTitle } from '../form/list-editor.tsx'
import { listValues } from '../form/texts.ts'
import { type MessageKey, t } from '../messages/i18n.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { tooLong } from '../table/too-long.ts'
import { AddingSelect } from '../ui/adding-select.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import type { BulkChanges } from './bulk-changes.ts'
import { isEditableInBulk } from './editable.ts'
import css from './list.module.css'
import { ValueInput } from './value-input.tsx'

/** `add` and `remove` are for lists. */
type EditKind = 'set' | 'add' | 'remove' | 'clear'

interface Edit {
  readonly kind: EditKind
  /** The value as a text of form/texts.ts; of a list, its members. */
  readonly text: string
  readonly displayText: string
}
export type Edits = Readonly<Record<string, Edit>>

export const changesOf = (edits: Edits): BulkChanges =>
  Object.fromEntries(
    Object.entries(edits).map(([name, { kind, text }]) => {
      if (kind === 'set' || kind === 'clear') return [name, { kind: 'set', text: kind === 'clear' ? '' : text }]
      return [name, { kind, members: listValues(text) }]
    }),
  )

/** Whether there is something to do: of a list, at least one member is to be added or removed. No text is too long for its column. */
export function isComplete(edits: Edits, { columns }: TableInfo): boolean {
  const all = Object.entries(edits)
  return (
    all.length > 0 &&
    all.every(([name, { kind, text }]) => {
      const column = columns.get(name)
      if (kind === 'clear' || (text === '' && kind === 'set')) return true
      return text !== '' && (column === undefined || tooLong(column, text) === undefined)
    })
  )
}

interface BulkEditsProps {
  readonly info: TableInfo
  readonly edits: Edits
  readonly onEdits: (edits: Edits) => void
}

/** The columns to change, each with its new value. */
export function BulkEdits({ info, edits, onEdits }: BulkEditsProps) {
  const offered = [...info.columns.values()]
    .filter((column) => isEditableInBulk(column) && !(column.name in edits))
    .sort((one, other) => one.title.localeCompare(other.title))
  const edit = (name: string, next: Edit): void => onEdits({ ...edits, [name]: next })
  const remove = (name: string): void => {
    const { [name]: _, ...others } = edits
    onEdits(others)
  }
  const add = (name: string): void => {
    // Most lists are extended, so a list is not replaced by accident.
    const kind = info.columns.get(name)?.type === 'list' ? 'add' : 'set'
    edit(name, { kind, text: '', displayText: '' })
  }
  return (
    <>
      {Object.entries(edits).map(([name, each]) => {
        const column = info.columns.get(name)
        return column === undefined ? null : (
          <BulkEdit
            key={name}
            column={column}
            edit={each}
            onChange={(next) => edit(name, next)}
            onRemove={() => remove(name)}
          />
        )
      })}
      <AddingSelect
        aria-label={t('bulk.column')}
        prompt={t('bulk.column')}
        options={offered.map(({ name, title }) => [name, title])}
        onAdd={add}
      />
    </>
  )
}

interface BulkEditProps {
  readonly column: Column
  readonly edit: Edit
  readonly onChange: (edit: Edit) => void
  readonly onRemove: () => void
}

function BulkEdit({ column, edit, onChange, onRemove }: BulkEditProps) {
  const isList = column.type === 'list'
  const fault = tooLong(column, edit.text)
  const faultId = `bulk-${column.name}-fault`
  return (
    <div className={css.bulkEdit}>
      <span>{column.title}</span>
      <div className={css.bulkValue}>
        {isList && <KindInput column={column} kind={edit.kind} onChange={(kind) => onChange({ ...edit, kind })} />}
        {isList && edit.kind !== 'clear' && (
          <ListEditor
            id={`bulk-${column.name}`}
            label={column.title}
            target={column.target}
            searched={column.searched}
            choices={column.choices}
            text={edit.text}
            onChange={(text) => onChange({ ...edit, text })}
          />
        )}
        {!isList && (
          <ValueInput
            column={column}
            text={edit.text}
            displayText={edit.displayText}
            isInvalid={fault !== undefined}
            describedBy={fault === undefined ? undefined : faultId}
            onChange={(text, displayText) => onChange({ kind: 'set', text, displayText })}
          />
        )}
        {fault !== undefined && (
          <small role="alert" id={faultId} className={css.fault}>
            {fault}
          </small>
        )}
        {edit.text === '' && edit.kind === 'set' && <small className={css.hint}>{t('bulk.clears')}</small>}
      </div>
      <Button look="quiet" isIcon aria-label={t('columns.remove', { title: column.title })} onClick={onRemove}>
        <Icon name="close" size={14} />
      </Button>
    </div>
  )
}

const kindKeys: Readonly<Record<EditKind, MessageKey>> = {
  add: 'bulk.add',
  remove: 'bulk.remove',
  set: 'bulk.set',
  clear: 'bulk.clear',
}
const kinds = Object.keys(kindKeys) as readonly EditKind[]

interface KindInputProps {
  readonly column: Column
  readonly kind: EditKind
  readonly onChange: (kind: EditKind) => void
}

function KindInput({ column, kind, onChange }: KindInputProps) {
  return (
    <select
      className={ui.input}
      aria-label={t('bulk.kind', { title: column.title })}
      value={kind}
      onChange={(event) => onChange(kinds.find((each) => each === event.target.value) ?? kind)}
    >
      {kinds.map((each) => (
        <option key={each} value={each}>
          {t(kindKeys[each])}
        </option>
      ))}
    </select>
  )
}

/** What happens to the column, before it is done. */
export function EditWords({ column, edit }: { readonly column: Column; readonly edit: Edit }) {
  const members = column.type === 'list' ? listValues(edit.text) : []
  const titleOf = useMemberTitle(column, members)
  if (column.type !== 'list')
    return (
      <li>
        {column.title} → <strong>{edit.displayText || edit.text || '—'}</strong>
      </li>
    )
  const words = members.map((member) => titleOf(member) ?? t('value.notVisible')).join(', ')
  return (
    <li>
      {column.title} · {t(kindKeys[edit.kind])} {edit.kind !== 'clear' && <strong>{words || '—'}</strong>}
    </li>
  )
}
