import { isMarkup, textOfMarkup } from '../column-types/editor/rich-text.ts'
import { withDigitsAsText } from '../kernel/exact-json.ts'

/** A record as the Table API returns it: display values by column. */
export type DisplayedRecord = Readonly<Record<string, unknown>>

const place = /\{([a-z][a-z0-9_]{0,59}(?:\.[a-z][a-z0-9_]{0,59}){0,5})\}/g

/** The columns that a template names, including those of referenced records. */
export function pathsOfTemplate(template: string): readonly string[] {
  return [...new Set([...template.matchAll(place)].map(([, name = '']) => name))]
}

/** The text of a record. Empty values produce no text, and lines without other content are left out. */
export function writeText(template: string, record: DisplayedRecord): string {
  const lines = template.split('\n').flatMap((line) => {
    const names = pathsOfTemplate(line)
    const filled = line.replaceAll(place, (_found, name: string) => textOf(record[name]))
    const isEmpty = names.length > 0 && names.every((name) => textOf(record[name]) === '')
    return isEmpty ? [] : [filled]
  })
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Search needs only the text of markup. Plain text with `<`, such as `List<String>`, stays as it is (docs/decisions/0013). */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  return isMarkup(value) ? textOfMarkup(value.replaceAll(/<\/(p|div|li|h\d|tr)>|<br\s*\/?>/gi, '\n')) : value
}

/** Metadata of a record's document: its address, and the requested columns as stored. Empty ones are left out. */
export function writeMetadata(
  table: string,
  columns: readonly string[],
  record: DisplayedRecord,
): Readonly<Record<string, unknown>> {
  const given = columns.flatMap((name) => {
    const value = record[name]
    if (value === null || value === undefined || value === '') return []
    // docs/spec/documents.md, section 2: the key is a number. Choices are stored as texts.
    const isPriority = name === 'priority' && typeof value === 'string' && /^\d{1,9}$/.test(value)
    // Long numbers are texts of digits, as in all metadata.
    return [[name, isPriority ? Number(value) : withDigitsAsText(value)] as const]
  })
  return { ...Object.fromEntries(given), sys_id: String(record['sys_id']), table }
}
