export const SIDES = ['Last', 'Next'] as const
export const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
/** A longer period is written as text. */
export const maxCount = 999

/** What is typed: so many units, or days. Texts, because a field may be empty. */
export interface Period {
  readonly side: string
  readonly count: string
  readonly unit: string
  readonly from: string
  readonly to: string
}

/** What the fields of a value of ON hold. A value that they cannot hold leaves them empty: it stays as it is until a field is edited. */
export function periodOf(value: string): Period {
  const empty: Period = { side: 'Last', count: '', unit: 'day', from: '', to: '' }
  const [, side = '', count = '', unit = ''] = /^(Last|Next) (\d+) ([a-z]+?)s?$/.exec(value) ?? []
  const [, from = '', to = ''] = /^(?:[^@]*@)?(\d{4}-\d\d-\d\d)(?:@(\d{4}-\d\d-\d\d))?$/.exec(value) ?? []
  const period: Period = count === '' ? { ...empty, from, to } : { ...empty, side, count, unit }
  return UNITS.some((each) => each === period.unit) && periodText(period) !== '' ? period : empty
}

/** The value that these fields mean; '': something is missing or cannot be. */
export function periodText({ side, count, unit, from, to }: Period): string {
  const number = Number(count)
  if (count !== '')
    return Number.isInteger(number) && number >= 1 && number <= maxCount ? `${side} ${number} ${unit}s` : ''
  if (from === '' || to === '' || from === to) return from
  return to < from ? '' : `@${from}@${to}`
}
