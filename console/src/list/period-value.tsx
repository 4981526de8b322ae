import { useState } from 'react'
import { currentLanguage, t } from '../messages/i18n.ts'
import ui from '../ui/ui.module.css'
import { PERIODS } from './filter-terms.ts'
import css from './list.module.css'
import { isNamed, maxCount, type Period, periodOf, periodText, SIDES, UNITS } from './period.ts'

interface PeriodValueProps {
  readonly title: string
  /** Value of ON (docs/operators.md); '': none is chosen. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A period with a name, the last or next so many units, one day, or all days from one to another. */
export function PeriodValue({ title, value, onChange }: PeriodValueProps) {
  const [typed, setTyped] = useState(() => periodOf(value))
  const change = (part: Partial<Period>): void => {
    const next = { ...typed, ...part }
    setTyped(next)
    onChange(periodText(next))
  }
  const choose = (period: string): void => {
    setTyped(periodOf(period))
    onChange(period)
  }
  const changeCount = (part: Partial<Period>): void => change({ ...part, from: '', to: '' })
  const changeDays = (part: Partial<Period>): void => change({ ...part, count: '' })
  return (
    <>
      <fieldset className={css.choices}>
        <legend className="off-screen">{title}</legend>
        {Object.entries(PERIODS).map(([period, key]) => (
          <label key={period} className={ui.item}>
            <input type="radio" name="period" checked={isNamed(value, period)} onChange={() => choose(period)} />{' '}
            {t(key)}
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
function unitText(unit: (typeof UNITS)[number], count: number): string {
  // No browser has a name for it.
  if (unit === 'quarter') return t('span.quarters', { count })
  const format = new Intl.NumberFormat(currentLanguage(), { style: 'unit', unit, unitDisplay: 'long' })
  return format.formatToParts(count).find(({ type }) => type === 'unit')?.value ?? unit
}
