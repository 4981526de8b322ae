import { type Result, succeed } from '../kernel/result.ts'
import type { Reader, TypedColumn } from './column-type.ts'
import { type ColumnTypeName, columnTypeOf } from './column-types.ts'

/**
 * Converts a display value (sysparm_input_display_value=1) to a stored value: a choice by its title, a date and time in the
 * caller's time zone, Yes and No, numbers with the separators of the caller's language, durations with units, names of
 * weekdays, links to files, JSON as a text. Any other value is returned unchanged and validated as a stored value. References
 * are resolved by the statement (plan-find.ts).
 */
export function parseDisplayValue(
  value: unknown,
  column: TypedColumn & { readonly type: ColumnTypeName },
  reader: Reader,
): Result<unknown, string> {
  const { parse, parseMembers } = columnTypeOf(column).display
  if (Array.isArray(value)) return parseMembers?.(value, column, reader) ?? succeed(value)
  if (typeof value !== 'string' || value === '') return succeed(value)
  return parse?.(value, column, reader) ?? succeed(value)
}
