import type { ChangeEvent } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { type Reference, ReferencePicker } from '../table/reference-picker.tsx'
import type { Column } from '../table/table-info.ts'
import ui from '../ui/ui.module.css'

interface ValueInputProps {
  readonly column: Column
  /** The value as a text of form/texts.ts. */
  readonly text: string
  /** Display value of the referenced record. */
  readonly displayText: string
  readonly onChange: (text: string, displayText: string) => void
  readonly isInvalid?: boolean
  /** Id of what says why the value is invalid. */
  readonly describedBy?: string | undefined
}

/** Input for one value, by the type of its column. */
export function ValueInput({ column, text, displayText, onChange, isInvalid = false, describedBy }: ValueInputProps) {
  const { user } = useSession()
  if (column.choices.length > 0) {
    const options = column.choices.map(({ value, title }) => ({ value, title }))
    return <Options {...{ column, text, onChange, options, isInvalid }} />
  }
  if (column.type === 'boolean') {
    const options = (['true', 'false'] as const).map((value) => ({
      value,
      title: t(value === 'true' ? 'value.yes' : 'value.no'),
    }))
    return <Options {...{ column, text, onChange, options, isInvalid }} />
  }
  if (column.type === 'reference' && column.target !== null) {
    const me: readonly Reference[] =
      column.target === 'user' ? [{ value: user.sys_id, label: user.display_name, hint: t('filter.me') }] : []
    return (
      <ReferencePicker
        table={column.target}
        searched={column.searched}
        label={column.title}
        suggestions={me}
        isInvalid={isInvalid}
        value={text === '' ? null : { value: text, label: displayText }}
        onChange={(next) => onChange(next?.value ?? '', next?.label ?? '')}
      />
    )
  }
  const attributes = {
    className: ui.input,
    'aria-label': column.title,
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': describedBy,
    value: text,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(target.value, target.value),
  }
  // A field of one line would lose the line breaks.
  if (column.type === 'text') return <textarea {...attributes} />
  return <input type={column.type === 'date' ? 'date' : 'text'} {...attributes} />
}

interface OptionsProps extends Pick<ValueInputProps, 'column' | 'text' | 'onChange'> {
  readonly options: readonly { readonly value: string; readonly title: string }[]
  readonly isInvalid: boolean
}

function Options({ column, text, options, onChange, isInvalid }: OptionsProps) {
  const isStray = text !== '' && options.every(({ value }) => value !== text)
  return (
    <select
      className={ui.input}
      aria-label={column.title}
      aria-invalid={isInvalid || undefined}
      value={text}
      onChange={(event) => onChange(event.target.value, event.target.selectedOptions[0]?.text ?? '')}
    >
      <option value="">—</option>
      {isStray && <option value={text}>{text}</option>}
      {options.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  )
}
