import type { Operator } from 'docket-client'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { operatorKey } from '../list/filter-terms.ts'
import list from '../list/list.module.css'
import { currentLanguage, t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import ui from '../ui/ui.module.css'
import { keyTitle } from './key-title.ts'
import {
  daysAgo,
  editedAs,
  type ConditionForm as Form,
  isComplete,
  isSameValue,
  type KnownKey,
  openedForm,
  operatorsFor,
  PAST_DAYS,
  valuesTaken,
} from './metadata-filter.ts'

interface ConditionFormProps {
  readonly known: KnownKey
  /** null: a new condition. */
  readonly form: Form | null
  readonly onBack: () => void
  readonly onSubmit: (form: Form) => void
  /** Starts a group with this condition. Absent in a group, which has a button of its own. */
  readonly onGroup?: ((form: Form) => void) | undefined
}

/** Operator and value of a condition, by the type of the key's values. */
export function ConditionForm({ known, form, onBack, onSubmit, onGroup }: ConditionFormProps) {
  const opened = openedForm(known, form)
  const [operator, setOperator] = useState<Operator>(opened.operator)
  const [values, setValues] = useState(opened.values)
  const element = useRef<HTMLFormElement>(null)
  // A key was chosen, or the value of a condition is to be changed: typing goes on in the value.
  useEffect(() => {
    const fields = ['input:checked', 'input', 'select'].map((each) => element.current?.querySelector<HTMLElement>(each))
    fields.find((each) => each != null)?.focus()
  }, [])
  const edited: Form = { operator, values }
  const choose = (next: Operator): void => {
    // What was typed stays where the next operator takes it.
    if (valuesTaken(next) !== valuesTaken(operator) && valuesTaken(next) !== 'none') setValues(values.slice(0, 1))
    setOperator(next)
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete(edited)) onSubmit(edited)
  }
  const kind = editedAs(known) === 'time' ? 'date' : 'text'
  return (
    <form ref={element} className={list.termForm} onSubmit={submit}>
      <div className={list.termHead}>
        <Button look="quiet" onClick={onBack}>
          {keyTitle(known.key)}
        </Button>
        <select
          className={ui.input}
          aria-label={t('filter.operator')}
          value={operator}
          onChange={(event) => choose(event.target.value as Operator)}
        >
          {operatorsFor(known, form?.operator ?? null).map((each) => {
            const key = operatorKey(each, kind)
            return (
              <option key={each} value={each}>
                {t(key === 'op.is' ? 'op.equals' : key)}
              </option>
            )
          })}
        </select>
      </div>
      <ValueEditor known={known} operator={operator} values={values} onChange={setValues} />
      <Button type="submit" look="primary" disabled={!isComplete(edited)}>
        {t('action.apply')}
      </Button>
      {onGroup !== undefined && (
        <Button look="quiet" disabled={!isComplete(edited)} onClick={() => onGroup(edited)}>
          {t('filter.orElse')}
        </Button>
      )}
    </form>
  )
}

interface ValueEditorProps extends Form {
  readonly known: KnownKey
  readonly onChange: (values: readonly string[]) => void
}

function ValueEditor({ known, operator, values, onChange }: ValueEditorProps) {
  const taken = valuesTaken(operator)
  const as = editedAs(known)
  if (taken === 'none') return null
  if (as === 'boolean') return <YesNo known={known} values={values} onChange={onChange} />
  if (taken === 'several' && as === 'choice') return <Choices known={known} values={values} onChange={onChange} />
  if (as === 'time' && taken === 'one') return <TimeValue known={known} values={values} onChange={onChange} />
  if (taken === 'several') return <SeveralValues known={known} values={values} onChange={onChange} />
  const input = (at: number, label: string) => (
    <ValueInput
      known={known}
      label={label}
      value={values[at] ?? ''}
      onChange={(value) => onChange(taken === 'two' ? [values[0] ?? '', values[1] ?? ''].with(at, value) : [value])}
    />
  )
  if (taken === 'one') return input(0, keyTitle(known.key))
  return (
    <div className={list.termHead}>
      {input(0, t('search.from'))}
      {input(1, t('search.to'))}
    </div>
  )
}

type ValuesProps = Omit<ValueEditorProps, 'operator'>

function ValueInput({
  known,
  label,
  value,
  onChange,
}: Pick<ValuesProps, 'known'> & {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const as = editedAs(known)
  return (
    <>
      <input
        className={ui.input}
        type={as === 'number' ? 'number' : as === 'time' ? 'date' : 'text'}
        step="any"
        aria-label={label}
        list={as === 'time' ? undefined : id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {known.values.map((each) => (
          <option key={`${typeof each.value} ${each.value}`} value={String(each.value)} />
        ))}
      </datalist>
    </>
  )
}

/** Values that no list has: one per line. */
function SeveralValues({ known, values, onChange }: ValuesProps) {
  const [text, setText] = useState(values.join('\n'))
  return (
    <label className={list.labelled}>
      {t('search.onePerLine')}
      <textarea
        className={ui.input}
        aria-label={keyTitle(known.key)}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          onChange(event.target.value.split('\n').filter((line) => line !== ''))
        }}
      />
    </label>
  )
}

/** The listed values, and those of the condition that no document has now. */
function Choices({ known, values, onChange }: ValuesProps) {
  const listed = known.values.map(({ value, documents }) => ({ value: String(value), documents }))
  const [others] = useState(values.filter((value) => !listed.some((each) => isSameValue(each.value, value))))
  const all = [...listed, ...others.map((value) => ({ value, documents: 0 }))]
  const isChosen = (value: string): boolean => values.some((each) => isSameValue(value, each))
  const toggle = (value: string): void =>
    onChange(all.map((each) => each.value).filter((each) => (each === value ? !isChosen(each) : isChosen(each))))
  return (
    <fieldset className={list.choices}>
      <legend className="off-screen">{keyTitle(known.key)}</legend>
      {all.map(({ value, documents }) => (
        <label key={value} className={ui.item}>
          <input type="checkbox" checked={isChosen(value)} onChange={() => toggle(value)} /> <bdi>{value}</bdi>{' '}
          <small>{t('search.documents', { count: documents })}</small>
        </label>
      ))}
    </fieldset>
  )
}

function YesNo({ known, values, onChange }: ValuesProps) {
  const [value = ''] = values
  return (
    <fieldset className={list.choices}>
      <legend className="off-screen">{keyTitle(known.key)}</legend>
      {(['true', 'false'] as const).map((each) => (
        <label key={each} className={ui.item}>
          <input type="radio" name="yes-no" checked={value.toLowerCase() === each} onChange={() => onChange([each])} />{' '}
          {t(each === 'true' ? 'value.yes' : 'value.no')}
        </label>
      ))}
    </fieldset>
  )
}

/** A day, or one that moves with the clock. */
function TimeValue({ known, values, onChange }: ValuesProps) {
  const [value = ''] = values
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value)
  const relative = new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'always' })
  const isOther = value !== '' && !isDay && !PAST_DAYS.some((days) => daysAgo(days) === value)
  return (
    <fieldset className={list.choices}>
      <legend className="off-screen">{keyTitle(known.key)}</legend>
      {PAST_DAYS.map((days) => (
        <label key={days} className={ui.item}>
          <input
            type="radio"
            name="past"
            checked={value === daysAgo(days)}
            onChange={() => onChange([daysAgo(days)])}
          />{' '}
          {relative.format(-days, 'day')}
        </label>
      ))}
      <input
        className={ui.input}
        type={isOther ? 'text' : 'date'}
        aria-label={keyTitle(known.key)}
        value={isDay || isOther ? value : ''}
        onChange={(event) => onChange([event.target.value])}
      />
    </fieldset>
  )
}
