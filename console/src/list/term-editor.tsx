import { type ConditionTree, condition, type Operator } from 'docket-client'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import { type MessageKey, t } from '../messages/i18n.ts'
import { usePathColumns, useRecordName } from '../table/field-path.ts'
import { FieldPicker } from '../table/field-picker.tsx'
import { ReferencePicker } from '../table/reference-picker.tsx'
import type { Column, TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { DurationValue } from './duration-value.tsx'
import {
  fieldOperatorFor,
  fieldOperatorsOf,
  isComparable,
  kindOf,
  ME,
  MY_GROUPS,
  operatorKey,
  operatorsOf,
} from './filter-terms.ts'
import css from './list.module.css'
import { isAgainstField, printTerm, readQuery, rebuiltTerm, takesValue, valueTextOf } from './list-query.ts'
import { MatchCount } from './match-count.tsx'
import { PeriodValue } from './period-value.tsx'

interface TermEditorProps {
  readonly info: TableInfo
  /** null: a new condition. */
  readonly term: ConditionTree | null
  readonly onSubmit: (term: ConditionTree) => void
  /** Starts a group with this condition; null: with none. Absent in a group, which has buttons of its own. */
  readonly onGroup?: ((first: ConditionTree | null) => void) | undefined
  /** The query of the list with this condition. Absent in a group, which counts the records of all its conditions. */
  readonly queryWith?: ((term: ConditionTree) => string) | undefined
}

/** Edits one condition as field, operator and value; a more complex condition as text. */
export function TermEditor({ info, term, onSubmit, onGroup, queryWith }: TermEditorProps) {
  const [path, setPath] = useState(term?.kind === 'comparison' ? term.path.join('.') : '')
  const { columns, isPending } = usePathColumns(info, path === '' ? [] : [path])
  const column = columns.get(path)?.column
  if (
    term !== null &&
    (rebuiltTerm(term) === null ||
      term.kind !== 'comparison' ||
      // A column that the user may not read has no form. Its condition stays as it is.
      (column === undefined && path === term.path.join('.') && path !== '' && !isPending) ||
      (column !== undefined && ![...operatorsOf(column), ...fieldOperatorsOf(column)].includes(term.operator)))
  ) {
    return <TermText term={term} onSubmit={onSubmit} />
  }
  if (path === '')
    return (
      <>
        <FieldPicker info={info} onPick={setPath} />
        {onGroup !== undefined && term === null && (
          <button type="button" className={ui.item} onClick={() => onGroup(null)}>
            <Icon name="plus" size={14} /> {t('filter.startGroup')}
          </button>
        )}
      </>
    )
  if (column === undefined) return <p className={ui.item}>{t('state.loading')}</p>
  const isSame = term !== null && term.path.join('.') === path
  return (
    <TermForm
      key={path}
      info={info}
      path={path}
      column={column}
      term={isSame ? term : null}
      onBack={() => setPath('')}
      onSubmit={onSubmit}
      onGroup={onGroup}
      queryWith={queryWith}
    />
  )
}

/** The chosen value, else the first field for one. Without a value: the operator. */
function focusValue(form: HTMLElement | null): void {
  const fields = ['input:checked', 'input', 'select'].map((field) => form?.querySelector<HTMLElement>(field))
  fields.find((each) => each != null)?.focus()
}

interface TermFormProps extends Pick<TermEditorProps, 'info' | 'onGroup' | 'queryWith'> {
  readonly path: string
  readonly column: Column
  readonly term: ConditionTree | null
  readonly onBack: () => void
  readonly onSubmit: (term: ConditionTree) => void
}

function TermForm({ info, path, column, term, onBack, onSubmit, onGroup, queryWith }: TermFormProps) {
  const kind = kindOf(column)
  const [operator, setOperator] = useState<Operator>(
    term?.kind === 'comparison' ? term.operator : (operatorsOf(column)[0] ?? '='),
  )
  const isAgainst = isAgainstField(operator)
  const operators = isAgainst ? fieldOperatorsOf(column) : operatorsOf(column)
  const [value, setValue] = useState(term === null ? '' : (valueTextOf(term) ?? ''))
  const form = useRef<HTMLFormElement>(null)
  // A field was chosen, or the value of a condition is to be changed: typing goes on in the value.
  useEffect(() => focusValue(form.current), [])
  const hasValue = takesValue(operator)
  const isComplete = !hasValue || value !== ''
  const written = (): ConditionTree => {
    // "My groups" can be several records, so it needs an operator for lists.
    const several = value === MY_GROUPS && (operator === '=' || operator === '!=')
    const used = several ? (operator === '=' ? 'IN' : 'NOT IN') : operator
    return condition(path, used, hasValue ? value : '')
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete) onSubmit(written())
  }
  const changeOperator = (next: Operator): void => {
    // A period is not before or after anything: only a day stays.
    if (takesPeriod(next) !== takesPeriod(operator) && !/^\d{4}-\d\d-\d\d$/.test(value)) setValue('')
    setOperator(next)
  }
  const toggleField = (): void => {
    setOperator(isAgainst ? (operatorsOf(column)[0] ?? '=') : fieldOperatorFor(operator))
    setValue('')
  }
  return (
    <form ref={form} className={css.termForm} onSubmit={submit}>
      <div className={css.termHead}>
        <Button look="quiet" onClick={onBack}>
          {column.title}
        </Button>
        <select
          className={ui.input}
          aria-label={t('filter.operator')}
          value={operator}
          onChange={(event) => changeOperator(event.target.value as Operator)}
        >
          {operators.map((each) => (
            <option key={each} value={each}>
              {operatorTitle(operatorKey(each, kind))}
            </option>
          ))}
        </select>
      </div>
      {hasValue && !isAgainst && <ValueEditor column={column} operator={operator} value={value} onChange={setValue} />}
      {isAgainst && <OtherField info={info} column={column} value={value} onChange={setValue} />}
      {hasValue && column.operators.includes('SAMEAS') && (
        <button type="button" className={ui.item} onClick={toggleField}>
          <Icon name="back" size={14} /> {t(isAgainst ? 'filter.withValue' : 'filter.withField')}
        </button>
      )}
      {queryWith !== undefined && <MatchCount info={info} query={isComplete ? queryWith(written()) : null} />}
      <Button type="submit" look="primary" disabled={!isComplete}>
        {t('action.apply')}
      </Button>
      {onGroup !== undefined && (
        <Button look="quiet" disabled={!isComplete} onClick={() => onGroup(written())}>
          {t('filter.orElse')}
        </Button>
      )}
    </form>
  )
}

/** In a chip, "is" may be a dash; alone it has to be a word. */
const operatorTitle = (key: MessageKey): string => t(key === 'op.is' ? 'op.equals' : key)

const takesPeriod = (operator: Operator): boolean => operator === 'ON' || operator === 'NOTON'

interface ValueEditorProps {
  readonly column: Column
  readonly operator: Operator
  readonly value: string
  readonly onChange: (value: string) => void
}

function ValueEditor({ column, operator, value, onChange }: ValueEditorProps) {
  const kind = kindOf(column)
  if (kind === 'choice' || (kind === 'list' && column.choices.length > 0))
    return <ChoiceBoxes column={column} value={value} onChange={onChange} />
  if (kind === 'reference' && column.target !== null)
    return <ReferenceValue column={column} target={column.target} value={value} onChange={onChange} />
  if (kind === 'list') return <MemberValue column={column} value={value} onChange={onChange} />
  if (kind === 'duration') return <DurationValue title={column.title} value={value} onChange={onChange} />
  if (kind === 'boolean') return <YesNo value={value} onChange={onChange} title={column.title} />
  if (kind === 'date' && takesPeriod(operator))
    return <PeriodValue title={column.title} value={value} onChange={onChange} />
  return <TypedValue column={column} value={value} onChange={onChange} />
}

/** Values that an input of this type can hold. It would display others as empty. */
const FORMATS = { date: /^(\d{4}-\d\d-\d\d)?$/, number: /^(-?\d+(\.\d+)?)?$/, text: /^/ }

/** A value of the type of the column. A time of day, or one that moves with the clock, is text. */
function TypedValue({ column, value, onChange }: ColumnValueProps) {
  const kind = kindOf(column)
  const wanted = kind === 'date' || kind === 'number' ? kind : 'text'
  const [type] = useState(FORMATS[wanted].test(value) ? wanted : 'text')
  return (
    <input
      className={ui.input}
      type={type}
      step="any"
      aria-label={column.title}
      value={value}
      autoFocus
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

interface OtherFieldProps {
  readonly info: TableInfo
  readonly column: Column
  /** Path of the field; '': none is chosen. */
  readonly value: string
  readonly onChange: (path: string) => void
}

/** Another field as the value. It has the type of the first one. */
function OtherField({ info, column, value, onChange }: OtherFieldProps) {
  const { columns, isPending } = usePathColumns(info, value === '' ? [] : [value])
  const change = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (value !== '') change.current?.focus()
  }, [value])
  if (value === '') return <FieldPicker info={info} accepts={(each) => isComparable(column, each)} onPick={onChange} />
  const title = columns.get(value)?.title ?? (isPending ? '…' : t('filter.unreadable'))
  return (
    <button ref={change} type="button" className={ui.item} onClick={() => onChange('')}>
      <Icon name="back" size={14} /> {title}
    </button>
  )
}

type ValueProps = Pick<ValueEditorProps, 'value' | 'onChange'>
type ColumnValueProps = Pick<ValueEditorProps, 'column' | 'value' | 'onChange'>

/** The choices, and the values of the condition that are none of them: they stay until the user takes them out. */
function ChoiceBoxes({ column, value, onChange }: ColumnValueProps) {
  const separator = value.includes('@') ? '@' : ','
  const chosen = value === '' ? [] : value.split(separator)
  const [others] = useState(() => chosen.filter((text) => column.choices.every((choice) => choice.value !== text)))
  const offered = [...column.choices, ...others.map((text) => ({ value: text, title: text }))]
  const toggle = (text: string): void => {
    const values = new Set(offered.map((each) => each.value))
    onChange([...values].filter((each) => chosen.includes(each) !== (each === text)).join(separator))
  }
  return (
    <fieldset className={css.choices}>
      <legend className="off-screen">{column.title}</legend>
      {offered.map((choice) => (
        <label key={choice.value} className={ui.item}>
          <input type="checkbox" checked={chosen.includes(choice.value)} onChange={() => toggle(choice.value)} />{' '}
          {choice.title}
        </label>
      ))}
    </fieldset>
  )
}

/** A member of a list. Several at once are text. */
function MemberValue({ column, value, onChange }: ColumnValueProps) {
  const [isText] = useState(column.target === null || /[,@]/.test(value))
  if (isText || column.target === null) return <TypedValue column={column} value={value} onChange={onChange} />
  return <ReferenceValue column={column} target={column.target} value={value} onChange={onChange} />
}

function YesNo({ value, onChange, title }: ValueProps & { readonly title: string }) {
  return (
    <fieldset className={css.choices}>
      <legend className="off-screen">{title}</legend>
      {(['true', 'false'] as const).map((each) => (
        <label key={each} className={ui.item}>
          <input type="radio" name="yes-no" checked={value === each} onChange={() => onChange(each)} />{' '}
          {t(each === 'true' ? 'value.yes' : 'value.no')}
        </label>
      ))}
    </fieldset>
  )
}

function ReferenceValue({ column, target, value, onChange }: ColumnValueProps & { readonly target: string }) {
  const { user } = useSession()
  const name = useRecordName(target, value)
  const suggestions =
    target === 'user'
      ? [{ value: ME, label: t('filter.me'), hint: user.display_name }]
      : target === 'sys_group' && column.type === 'reference'
        ? [{ value: MY_GROUPS, label: t('filter.myGroups') }]
        : []
  const label = suggestions.find((each) => each.value === value)?.label ?? name ?? value
  return (
    <ReferencePicker
      table={target}
      searched={column.searched}
      label={column.title}
      suggestions={suggestions}
      value={value === '' ? null : { value, label }}
      onChange={(next) => onChange(next?.value ?? '')}
    />
  )
}

function TermText({
  term,
  onSubmit,
}: {
  readonly term: ConditionTree
  readonly onSubmit: (term: ConditionTree) => void
}) {
  const [text, setText] = useState(printTerm(term))
  const read = readQuery(text)
  const [first, ...others] = read.ok ? read.query.terms : []
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (first !== undefined) onSubmit(others.length === 0 ? first : { kind: 'all', of: [first, ...others] })
  }
  return (
    <form className={css.termForm} onSubmit={submit}>
      <textarea
        className={`${ui.input} ${css.mono}`}
        aria-label={t('filter.text')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
      />
      {!read.ok && (
        <p role="alert" className={css.fault}>
          {read.detail}
        </p>
      )}
      <Button type="submit" look="primary" disabled={first === undefined}>
        {t('action.apply')}
      </Button>
    </form>
  )
}
