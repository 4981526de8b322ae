import { useState } from 'react'
import { currentLanguage, t } from '../messages/i18n.ts'
import ui from '../ui/ui.module.css'
import { PERIODS } from './filter-terms.ts'
import css from './list.module.css'

interface PeriodValueProps {
  readonly title: string
  /** Value of ON (docs/operators.md); '': none is chosen. */
  readonly value: string
  readonly onChange: (value: string) => void
}

const SIDES = ['Last', 'Next'] as const
const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
/** A longer period is written as text. */
const maxCount = 999

/** What is typed: so many units, or days. Texts, because a field may be empty. */
interface Typed {
  readonly side: string
  readonly count: string
  readonly unit: string
  readonly from: string
  readonly to: string
}

function typedOf(value: string): Typed {
  const [, side = 'Last', count = '', unit = 'day'] = /^(Last|Next) (\d+) ([a-z]+?)s?$/.exec(value) ?? []
  const [, from = '', to = ''] = /^(?:[^@]*@)?(\d{4}-\d\d-\d\d)(?:@(\d{4}-\d\d-\d\d))?$/.exec(value) ?? []
  return { side, count, unit, from, to }
}

/** The value that these fields mean; '': something is missing. */
function textOf({ side, count, unit, from, to }: Typed): string {
  if (count !== '') return Number(count) >= 1 && Number(count) <= maxCount ? `${side} ${Number(count)} ${unit}s` : ''
  return from === '' || to === '' || from === to ? from : `@${from}@${to}`
}

/** A period with a name, the last or next so many units, one day, or all days from one to another. */
export function PeriodValue({ title, value, onChange }: PeriodValueProps) {
  const [typed, setTyped] = useState(() => typedOf(value))
  const change = (part: Partial<Typed>): void => {
    const next = { ...typed, ...part }
    setTyped(next)
    onChange(textOf(next))
  }
  const choose = (period: string): void => {
    setTyped(typedOf(period))
    onChange(period)
  }
  const changeCount = (part: Partial<Typed>): void => change({ ...part, from: '', to: '' })
  const changeDays = (part: Partial<Typed>): void => change({ ...part, count: '' })
  return (
    <>
      <fieldset className={css.choices}>
        <legend className="off-screen">{title}</legend>
        {Object.entries(PERIODS).map(([period, key]) => (
          <label key={period} className={ui.item}>
            <input type="radio" name="period" checked={value === period} onChange={() => choose(period)} /> {t(key)}
          </label>
        ))}
      </fieldset>
      <div className={css.span}>
        <select
          className={ui.input}
          aria-label={t('span.side')}
          value={typed.side}
          onChange={(event) => changeCount({ side: event.target.value })}
        >
          {SIDES.map((side) => (
            <option key={side} value={side}>
              {t(side === 'Last' ? 'span.last' : 'span.next')}
            </option>
          ))}
        </select>
        <input
          className={ui.input}
          type="number"
          min={1}
          max={maxCount}
          aria-label={t('span.count')}
          value={typed.count}
          onChange={(event) => changeCount({ count: event.target.value })}
        />
        <select
          className={ui.input}
          aria-label={t('span.unit')}
          value={typed.unit}
          onChange={(event) => changeCount({ unit: event.target.value })}
        >
          {UNITS.map((unit) => (
            <option key={unit} value={unit}>
              {unitText(unit, Number(typed.count))}
            </option>
          ))}
        </select>
      </div>
      <div className={css.span}>
        <input
          className={ui.input}
          type="date"
          aria-label={t('span.from', { title })}
          value={typed.from}
          onChange={(event) => changeDays({ from: event.target.value })}
        />
        –
        <input
          className={ui.input}
          type="date"
          aria-label={t('span.to', { title })}
          min={typed.from}
          value={typed.to}
          onChange={(event) => changeDays({ to: event.target.value })}
        />
      </div>
    </>
  )
}

/** `days`, `дней`: in the form that the number needs. */
function unitText(unit: string, count: number): string {
  const format = new Intl.NumberFormat(currentLanguage(), { style: 'unit', unit, unitDisplay: 'long' })
  return format.formatToParts(count).find(({ type }) => type === 'unit')?.value ?? unit
}
