import { type Result, succeed } from '../kernel/result.ts'
import type { TypedColumn } from './column-type.ts'
import { type ColumnTypeName, columnTypeOf } from './column-types.ts'
import { isEditorDocument } from './editor/editor-node.ts'
import { fromEditorDocument, linesOfDocument } from './editor/from-editor-document.ts'
import { isMarkup, sanitizeMarkup } from './editor/rich-text.ts'
import { withinLength } from './given-value.ts'

type NamedColumn = TypedColumn & { readonly type: ColumnTypeName }

/**
 * Converts a value of a JSON body to the parameter of the column (docs/spec/records.md, section 4); null empties the column.
 * The error says what is wrong and what would be right, for a message that names the field.
 */
export function readBodyValue(value: unknown, column: NamedColumn): Result<unknown, string> {
  if (value === null || value === undefined) return succeed(null)
  if (column.readAsDocument && isEditorDocument(value)) return readDocument(value, column)
  return columnTypeOf(column).write.value(value, column)
}

/** A column of lines accepts a document of plain paragraphs as lines, which is the form of its reads. */
function readDocument(value: object, column: NamedColumn): Result<string, string> {
  const lines = columnTypeOf(column).write.editor === 'lines' ? linesOfDocument(value) : null
  if (lines !== null && !isMarkup(lines)) return withinLength(lines, column)
  const html = fromEditorDocument(value)
  return html.ok ? withinLength(sanitizeMarkup(html.value), column) : html
}
