/** A document's metadata: a JSON object of scalars and lists of scalars (docs/spec/documents.md, section 2). */
export type Metadata = Readonly<Record<string, MetadataValue>>
export type Scalar = string | number | boolean | null
export type MetadataValue = Scalar | readonly Scalar[]

/** A value as filters compare it. A text that is a time is compared with times as a time, and with other texts as a text. */
export type FilterMember = string | number | boolean | FilterTime
export interface FilterTime {
  /** Milliseconds since 1970. */
  readonly t: number
  /** The text, case-folded. */
  readonly s: string
}
/** The members of each key. A key without members is omitted, so that "empty" means "absent". */
export type FilterValues = Readonly<Record<string, readonly FilterMember[]>>

/**
 * Keys that every document has, independent of its metadata (docs/spec/documents.md, section 5). A metadata key of the
 * same name takes precedence.
 */
export interface OwnKeys {
  readonly doc_id: string
  readonly file_name: string | null
  readonly media_type: string
  readonly language: string | null
  /** ISO 8601. */
  readonly loaded_at: string
  readonly size: number
}

export function filterValuesOf(metadata: Metadata, own: OwnKeys): FilterValues {
  const entries = Object.entries({ ...own, ...metadata }).map(([key, value]) => [key, membersOf(value)] as const)
  return Object.fromEntries(entries.filter(([, members]) => members.length > 0))
}

function membersOf(value: MetadataValue): readonly FilterMember[] {
  const scalars = Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar]
  return scalars.flatMap((scalar) => (scalar === null || scalar === '' ? [] : [memberOf(scalar)]))
}

function memberOf(scalar: Exclude<Scalar, null>): FilterMember {
  if (typeof scalar !== 'string') return scalar
  const t = timeOf(scalar)
  return t === undefined ? foldText(scalar) : { t, s: foldText(scalar) }
}

/** Texts compare case-insensitively, as in the record query. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

const isoTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d{0,6})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/**
 * Parses an ISO 8601 date, or date and time. Without an offset it is UTC. A date is its midnight.
 *
 * @returns milliseconds since 1970; undefined when the text is not a time, or not one that exists (February 30)
 */
export function timeOf(text: string): number | undefined {
  const parts = isoTime.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset = 'Z'] = parts
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const date = new Date(midnight)
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) && Number(year) >= 100
  if (!exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const shiftMinutes = minutesOf(offset)
  if (shiftMinutes === undefined) return undefined
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second) - shiftMinutes * 60
  return midnight + seconds * 1_000 + Number(fraction.padEnd(3, '0'))
}

function minutesOf(offset: string): number | undefined {
  if (/^z$/i.test(offset)) return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(-2))
  if (hours > 14 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
