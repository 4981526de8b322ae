import type { Cell } from 'docket-client'
import { Suspense } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { Choice, Column } from '../table/table-info.ts'
import { tooLong } from '../table/too-long.ts'
import { Loading } from '../ui/loading.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import { Value } from '../ui/value.tsx'
import css from './form.module.css'
import { ListEditor } from './list-editor.tsx'
import { ReferenceActions, ReferenceEditor } from './reference-field.tsx'
import type { RichNode } from './rich-document.ts'
import { RichTextView } from './rich-text-view.tsx'

export interface FieldProps {
  readonly column: Column
  readonly cell: Cell | undefined
  readonly text: string
  readonly isEdited: boolean
  readonly canWrite: boolean
  readonly error: string | undefined
  /** Text of the column on which the choices depend. */
  readonly parentText: string
  readonly onChange: (text: string) => void
  /** Prefix of element ids; a dialog over the form has its own. */
  readonly idPrefix?: string
}

const isWide = ({ type, name }: Column): boolean =>
  ['text', 'wysiwyg', 'html', 'json', 'script'].includes(type) || name === 'subject'

export function Field(props: FieldProps) {
  const { column, cell, canWrite, isEdited } = props
  const error = props.error ?? (isEdited ? tooLong(column, props.text) : undefined)
  const { time_zone } = useSession()
  const id = `${props.idPrefix ?? 'field'}-${column.name}`
  if (!canWrite) {
    return (
      <div className={css.field} data-wide={isWide(column)}>
        <span className={css.label}>
          {column.title} <ReferenceActions {...props} />
        </span>
        <div className={css.readOnly}>
          <ReadOnlyValue cell={cell} column={column} timeZone={time_zone} />
        </div>
      </div>
    )
  }
  return (
    <div className={css.field} data-wide={isWide(column)} data-edited={isEdited}>
      <div className={css.labelLine}>
        <label
          className={css.label}
          htmlFor={id}
          // Browsers know only fields of their own by the label.
          onClick={column.type === 'wysiwyg' ? () => document.getElementById(id)?.focus() : undefined}
        >
          {column.title}
          {column.isMandatory && (
            <span className={css.mandatory} title={t('form.mandatory')}>
              *
            </span>
          )}
          {column.type === 'datetime' && <small>{time_zone}</small>}
        </label>
        <ReferenceActions {...props} />
      </div>
      <Editor {...props} error={error} id={id} />
      {error !== undefined && (
        <p id={`${id}-error`} className={css.fieldError} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

function ReadOnlyValue({
  cell,
  column,
  timeZone,
}: {
  readonly cell: Cell | undefined
  readonly column: Column
  readonly timeZone: string
}) {
  const document = column.type === 'wysiwyg' && typeof cell?.value === 'object' ? (cell.value as RichNode | null) : null
  if (document !== null) return <RichTextView document={document} />
  if (column.type === 'json' && cell?.value != null)
    return <pre className={css.json}>{JSON.stringify(cell.value, null, 2)}</pre>
  return <Value cell={cell} column={column} timeZone={timeZone} />
}

const RichTextEditor = lazyPart(async () => (await import('./rich-text-editor.tsx')).RichTextEditor)

export interface EditorProps extends FieldProps {
  readonly id: string
}

/** Id of the error message, which is read with the field. */
const describedBy = ({ id, error }: EditorProps): string | undefined =>
  error === undefined ? undefined : `${id}-error`

function Editor(props: EditorProps) {
  const { id, column, text, error, onChange } = props
  const described = describedBy(props)
  const shared = {
    id,
    className: ui.input,
    'aria-invalid': error !== undefined || undefined,
    'aria-describedby': described,
    required: column.isMandatory,
  }
  if (column.choices.length > 0 && column.type !== 'list') return <ChoiceEditor {...props} />
  if (column.type === 'reference' && column.target !== null)
    return <ReferenceEditor {...props} target={column.target} describedBy={described} />
  if (column.type === 'boolean') {
    return (
      <input
        {...shared}
        className={css.check}
        type="checkbox"
        checked={text === 'true'}
        onChange={(event) => onChange(String(event.target.checked))}
      />
    )
  }
  if (column.type === 'list')
    return (
      <ListEditor
        id={id}
        label={column.title}
        target={column.target}
        searched={column.searched}
        choices={column.choices}
        text={text}
        describedBy={described}
        onChange={onChange}
      />
    )
  if (column.type === 'wysiwyg')
    return (
      <Suspense fallback={<Loading lines={2} />}>
        <RichTextEditor
          id={id}
          label={column.title}
          text={text}
          isInvalid={error !== undefined}
          describedBy={described}
          onChange={onChange}
        />
      </Suspense>
    )
  if (column.type === 'json')
    return (
      <textarea
        {...shared}
        className={`${ui.input} ${css.json}`}
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  if (column.type === 'text')
    return <textarea {...shared} value={text} onChange={(event) => onChange(event.target.value)} />
  if (column.type === 'datetime') {
    return (
      <input
        {...shared}
        type="datetime-local"
        data-empty={text === ''}
        value={text.replace(' ', 'T').slice(0, 16)}
        onChange={(event) => onChange(event.target.value === '' ? '' : `${event.target.value.replace('T', ' ')}:00`)}
      />
    )
  }
  const type = { date: 'date', email: 'email', url: 'url', phone: 'tel' }[column.type] ?? 'text'
  return <input {...shared} type={type} value={text} onChange={(event) => onChange(event.target.value)} />
}

/** Choices that fit the value of the parent column. A current value that no longer fits stays, marked, until the user chooses another. */
function ChoiceEditor(props: EditorProps) {
  const { id, column, text, parentText, error, onChange } = props
  const fits = (choice: Choice): boolean =>
    column.dependentOn === null || choice.dependentValue === null || choice.dependentValue === parentText
  const fitting = column.choices.filter(fits)
  const isStray = text !== '' && !fitting.some(({ value }) => value === text)
  const stray = column.choices.find(({ value }) => value === text)?.title ?? text
  return (
    <select
      id={id}
      className={ui.input}
      value={text}
      required={column.isMandatory}
      aria-invalid={isStray || error !== undefined || undefined}
      aria-describedby={describedBy(props)}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">—</option>
      {isStray && <option value={text}>{t('form.stray', { title: stray })}</option>}
      {fitting.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  )
}
