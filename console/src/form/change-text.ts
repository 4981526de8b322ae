import type { CellRow } from 'docket-client'
import { t } from '../messages/i18n.ts'
import type { Column, TableInfo } from '../table/table-info.ts'
import { dateTimeText, instantOf, isMarkup, plainText } from '../ui/value.tsx'

/** Not readable as one line. */
const DOCUMENTS: ReadonlySet<string> = new Set(['json', 'wysiwyg', 'html', 'script'])
const maxCharacters = 80

/** "Urgency: High". A long text is cut, and a document is only named. */
export function changeText(name: string, row: CellRow, { columns }: TableInfo): string {
  const { title = name, type = '' } = columns.get(name) ?? {}
  if (DOCUMENTS.has(type)) return title
  const { value = null, display_value = null } = row[name] ?? {}
  const text = [...(display_value ?? (value === null ? '—' : t('value.notVisible')))]
  return `${title}: ${text.slice(0, maxCharacters).join('')}${text.length > maxCharacters ? '…' : ''}`
}

/**
 * A value of the history; of rich text, its words, and of a time, what fields and lists display. Records that the user may not read have no
 * display value, and their ids say nothing to users.
 */
export function historyText(
  display: string | null,
  value: unknown,
  column: Column | undefined,
  timeZone: string,
): string {
  const at = column?.type === 'datetime' ? instantOf(value) : null
  if (at !== null) return dateTimeText(at, timeZone, true)
  if (display !== null) return column !== undefined && isMarkup(column) ? plainText(display) : display
  if (typeof value === 'boolean') return t(value ? 'value.yes' : 'value.no')
  if (value == null) return ''
  if (column?.type === 'reference' || (column?.type === 'list' && column.target !== null)) return t('value.notVisible')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
