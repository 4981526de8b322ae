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

/** What the fields of a value of ON hold, in whichever case it is written. A value that they cannot hold leaves them empty: it stays as it is until a field is edited. */
export function periodOf(value: string): Period {
  const empty: Period = { side: 'Last', count: '', unit: 'day', from: '', to: '' }
  const [, written = '', count = '', units = ''] = /^(last|next) (\d+) ([a-z]+?)s?$/i.exec(value) ?? []
  const side = SIDES.find((each) => each.toLowerCase() === written.toLowerCase()) ?? ''
  const unit = units.toLowerCase()
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

/** Whether the value of ON is the period of this name. Before two ends (`Today@…@…`) a name means nothing. */
export const isNamed = (value: string, name: string): boolean => value.toLowerCase() === name.toLowerCase()
