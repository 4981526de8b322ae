import { type Result, succeed } from '../kernel/result.ts'
import type { Reader, TypedColumn } from './column-type.ts'

/**
 * `12,345.60`, in Russian `12 345,60`. If commas do not separate groups of thousands, the text is returned unchanged, and the
 * column rejects it.
 */
export function parseDisplayedNumber(text: string, _column: TypedColumn, { language }: Reader): Result<string, never> {
  const trimmed = text.trim()
  if (language === 'ru') return succeed(trimmed.replaceAll(/\s/g, '').replace(',', '.'))
  return succeed(/^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed)
}

/** Like docket_system.show_exact: groups thousands; a text without digits is returned unchanged. */
export function displayDigits(text: string, language: Reader['language']): string {
  const [whole = '', fraction] = text.split('.')
  if (!/^-?\d+$/.test(whole)) return text
  const [separator, point] = language === 'ru' ? ['\u00a0', ','] : [',', '.']
  const grouped = whole.replaceAll(/(\d)(?=(?:\d{3})+$)/g, `$1${separator}`)
  return fraction === undefined ? grouped : `${grouped}${point}${fraction}`
}
