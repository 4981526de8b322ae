import { type NumberFormat, numberFormatOf, showNumber } from './number-format.ts'

/** How a spreadsheet displays a number: dates are numbers of days; others have digits, a percent sign, a currency. */
export type NumberStyle = 'general' | 'date' | 'time' | 'duration' | 'date-time' | NumberFormat

/** Formats with a number but without a text (ECMA-376 part 1, 18.8.30). */
const builtIn: ReadonlyMap<number, string> = new Map([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  ...[14, 15, 16, 17].map((id) => [id, 'yyyy-mm-dd'] as const),
  ...[18, 19, 20, 21, 45, 47].map((id) => [id, 'h:mm:ss'] as const),
  [22, 'yyyy-mm-dd h:mm'],
  [46, '[h]:mm:ss'],
  ...[37, 38].map((id) => [id, '#,##0;(#,##0)'] as const),
  ...[39, 40].map((id) => [id, '#,##0.00;(#,##0.00)'] as const),
])

/** @param code text of a format that the workbook defines itself */
export function numberStyleOf(id: number, code: string | undefined = builtIn.get(id)): NumberStyle {
  if (code === undefined) return 'general'
  // Quoted and escaped text, colours and locales are not part of the pattern.
  const pattern = code.replace(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').split(';')[0] ?? ''
  const isGeneral = /^general$/i.test(pattern.trim())
  const hasDate = /[yd]/i.test(pattern)
  const hasTime = /[hs]/i.test(pattern)
  if (isGeneral) return 'general'
  if (hasDate) return hasTime ? 'date-time' : 'date'
  // In brackets, hours do not begin again after a day.
  if (hasTime) return /\[[hms]+\]/i.test(pattern) ? 'duration' : 'time'
  if (/m{3,}/i.test(pattern)) return 'date'
  return numberFormatOf(code) ?? 'general'
}

const msPerDay = 86_400_000
/** Day 0 of the two calendars; the first includes a 29 February 1900 that did not exist, so it begins a day early. */
const day0 = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) }
/** 31 December 9999. */
const lastDay = 2_958_465

/**
 * A number as the sheet displays it, always with a point and commas; dates and times as ISO 8601; a number that is not a valid
 * date stays a number.
 */
export function formatNumber(value: string, style: NumberStyle, startsIn1904: boolean): string {
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  if (typeof style === 'object') return showNumber(number, style)
  if (style === 'general' || number < 0 || number > lastDay) return shortest(number)
  if (style === 'duration') return durationText(Math.round((number * msPerDay) / 1_000))
  const time = new Date(
    (startsIn1904 ? day0.from1904 : day0.from1900) + Math.round((number * msPerDay) / 1_000) * 1_000,
  )
  const [date = '', clock = ''] = time.toISOString().slice(0, 19).split('T')
  if (style === 'time') return number < 1 ? clock : `${date} ${clock}`
  return style === 'date' || number % 1 === 0 ? date : `${date} ${clock}`
}

function durationText(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Removes rounding errors of binary fractions: 0.1 + 0.2 is 0.3. Sheets keep 15 digits. */
function shortest(number: number): string {
  return String(Number(number.toPrecision(15)))
}

/** A text of a workbook: characters that XML does not have, such as `_x000D_` at the end of a line, are escaped in it. */
export const unescapeText = (text: string): string =>
  text
    .replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\r\n?/g, '\n')

/** The column of `AB12`, from 0. */
export function columnOfReference(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
