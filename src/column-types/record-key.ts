/**
 * The sys_ids of a table. Those of our own tables are integers; those of an adopted table depend on its key. Outside of SQL a
 * sys_id is always a text.
 */
export interface RecordKey {
  readonly kind: KeyKind
  /** PostgreSQL columns, in the order of the key. */
  readonly parts: readonly KeyPart[]
  /** sys_ids of records on other servers, each with the local sys_id of the record (docs/simpleone.md). */
  readonly aliases?: ReadonlyMap<string, string>
  /** Where ids are stored that records had in another system. Absent: no record of the hierarchy has one. */
  readonly given?: GivenIdColumn
  /** By sys_id: ids that scripts of another system contain for these few records. Absent: no record of the hierarchy has one. */
  readonly wellKnown?: WellKnownIds
}

export type WellKnownIds = ReadonlyMap<string, string>

/** A unique column with ids of another system: 32 letters and digits. */
export interface GivenIdColumn {
  readonly schema: string
  readonly table: string
  readonly column: string
}

/**
 * `whole`: digits. `uuid`: as PostgreSQL writes it. `text`: the text unchanged. `parts`: several columns, or one of another
 * type: `10248~42`, each part as PostgreSQL writes it, with `!21` for `!`, `!7E` for `~`, `!2C` for `,`, `!40` for `@` and
 * `!5E` for `^`, so that a sys_id can be part of a list in a condition.
 */
export type KeyKind = 'whole' | 'uuid' | 'text' | 'parts'

export interface KeyPart {
  readonly column: string
  /** In SQL syntax, quoted if necessary. */
  readonly type: string
}

/** The key of every table of our own. */
export const OWN_KEY: RecordKey = { kind: 'whole', parts: [{ column: 'sys_id', type: 'bigint' }] }

const WHOLE: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint'])
/** `character varying` and `text` compare by the operators of text. */
const PLAIN_TEXTS: ReadonlySet<string> = new Set(['text', 'character varying'])

const isText = (type: string): boolean => PLAIN_TEXTS.has(type) || type === 'bpchar' || /(^|\.)citext$/.test(type)

export function keyOfColumns(parts: readonly KeyPart[]): RecordKey {
  const [only, second] = parts
  if (only === undefined || second !== undefined) return { kind: 'parts', parts }
  if (WHOLE.has(only.type)) return { kind: 'whole', parts }
  if (only.type === 'uuid') return { kind: 'uuid', parts }
  return { kind: isText(only.type) ? 'text' : 'parts', parts }
}

/** The type whose operators compare the values; null: text. */
export function comparedAs({ kind, parts }: RecordKey): string | null {
  const type = kind === 'text' ? parts[0]?.type : undefined
  return type === undefined || type === 'text' ? null : type
}

/** Values may contain any text. */
export const isTextual = ({ kind }: RecordKey): boolean => kind === 'text' || kind === 'parts'

/**
 * Normalizes a sys_id of a request to the spelling that identifies records, as far as possible without a query. @returns null:
 * no record of the table has this sys_id
 */
export function readSysId(text: string, key: RecordKey): string | null {
  switch (key.kind) {
    case 'whole':
      return resolveAlias(readWhole(text), key)
    case 'uuid':
      return readUuid(text)
    case 'text':
      return isStorable(text) && text !== '' ? text : null
    case 'parts':
      return isStorable(text) && text.split('~').length === key.parts.length ? text : null
  }
}

/** The sys_id of the record with this sys_id or alias. */
export function resolveAlias<Id extends string | null>(id: Id, { aliases }: RecordKey): Id | string {
  return id === null ? id : (aliases?.get(id) ?? id)
}

/** A document id (32 hexadecimal digits) whose first half, the sys_id of a table, may be an alias. */
export function resolveDocumentId(digits: string, tables: RecordKey): string {
  const table = BigInt(`0x${digits.slice(0, 16)}`).toString()
  const own = resolveAlias(table, tables)
  return own === table ? digits : BigInt(own).toString(16).padStart(16, '0') + digits.slice(16)
}

/** The expected form of a sys_id, for errors. */
export function describeKey(key: RecordKey): string {
  switch (key.kind) {
    case 'whole':
      return 'the sys_id of a record (up to 18 digits)'
    case 'uuid':
      return 'the sys_id of a record (a UUID)'
    case 'text':
      return 'the sys_id of a record'
    case 'parts':
      return `the sys_id of a record (${key.parts.map(({ column }) => column).join('~')})`
  }
}

function readWhole(text: string): string | null {
  if (!/^\d{1,18}$/.test(text)) return null
  return text.startsWith('0') ? BigInt(text).toString() : text
}

/** PostgreSQL accepts braces around it, any case, and a hyphen after any four digits. */
function readUuid(text: string): string | null {
  const bare = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text
  if (!/^(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}$/i.test(bare)) return null
  const digits = bare.replaceAll('-', '').toLowerCase()
  return [0, 8, 12, 16, 20].map((from, n, starts) => digits.slice(from, starts[n + 1])).join('-')
}

/** PostgreSQL does not store U+0000 or lone surrogates in a text. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
