import { fail } from '../kernel/result.ts'
import type { ColumnType, ReadGiven } from './column-type.ts'
import { isNestedTooDeeply, MAX_HTML_NESTING } from './editor/html-nesting.ts'
import { isMarkup, sanitizeMarkup } from './editor/rich-text.ts'
import { readText, withinLength } from './given-value.ts'
import { textType } from './text-type.ts'

/** A type whose values are HTML or plain text. */
export function markupType(title: string): ColumnType {
  const type = textType(title, readHtml)
  return {
    ...type,
    write: { ...type.write, isMarkup: true, isRewritten: true },
    convert: { group: 'text', holdsMarkup: true },
    schema: { ...type.schema, note: 'Sanitised when it is written.' },
  }
}

const readHtml: ReadGiven = (value, column) => {
  const text = readText(value, column)
  if (!text.ok) return text
  const html = String(text.value)
  if (!isMarkup(html)) return text
  if (isNestedTooDeeply(html)) return fail(`tags nested more than ${MAX_HTML_NESTING} deep cannot be edited`)
  return withinLength(sanitizeMarkup(html), column)
}
