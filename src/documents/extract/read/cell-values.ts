/** How a spreadsheet shows a number, as far as it changes what is read: dates are numbers of days, shares are hundredths. */
export type NumberStyle = 'general' | 'date' | 'time' | 'date-time' | 'percent'

/** Formats that have a number and no text (ECMA-376 part 1, 18.8.30). */
const builtIn: ReadonlyMap<number, NumberStyle> = new Map<number, NumberStyle>([
  [9, 'percent'],
  [10, 'percent'],
  [14, 'date'],
  [15, 'date'],
  [16, 'date'],
  [17, 'date'],
  [18, 'time'],
  [19, 'time'],
  [20, 'time'],
  [21, 'time'],
  [22, 'date-time'],
  [45, 'time'],
  [46, 'time'],
  [47, 'time'],
])

/** @param code text of a format that the workbook defines itself */
export function numberStyleOf(id: number, code?: string): NumberStyle {
  if (code === undefined) return builtIn.get(id) ?? 'general'
  // Quoted and escaped text, colours and locales are no part of the pattern.
  const pattern = code.replace(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').split(';')[0] ?? ''
  const hasDate = /[yd]/i.test(pattern)
  const hasTime = /[hs]/i.test(pattern)
  if (hasDate) return hasTime ? 'date-time' : 'date'
  if (hasTime) return 'time'
  if (/m{3,}/i.test(pattern)) return 'date'
  return pattern.includes('%') ? 'percent' : 'general'
}

const msPerDay = 86_400_000
/** Day 0 of the two calendars; the first counts a 29 February 1900 that never was, so it begins a day early. */
const day0 = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) }
/** 31 December 9999. */
const lastDay = 2_958_465

/** A number as the sheet shows it, dates and times as ISO 8601; a number that fits no date stays a number. */
export function formatNumber(value: string, style: NumberStyle, startsIn1904: boolean): string {
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  if (style === 'percent') return `${shortest(number * 100)}%`
  if (style === 'general' || number < 0 || number > lastDay) return shortest(number)
  const time = new Date(
    (startsIn1904 ? day0.from1904 : day0.from1900) + Math.round((number * msPerDay) / 1_000) * 1_000,
  )
  const [date = '', clock = ''] = time.toISOString().slice(0, 19).split('T')
  if (style === 'time') return number < 1 ? clock : `${date} ${clock}`
  return style === 'date' || number % 1 === 0 ? date : `${date} ${clock}`
}

/** Without the noise of binary fractions: 0.1 + 0.2 is 0.3. Sheets keep 15 digits. */
function shortest(number: number): string {
  return String(Number(number.toPrecision(15)))
}

/** The column of `AB12`, from 0. */
export function columnOfReference(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
