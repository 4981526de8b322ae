import type { ColumnType } from '../catalog/catalog.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import type { SchemaColumn, SchemaConstraint, SchemaTable } from './read-schema.ts'

/** A table of the database in the words of the dictionary, by PostgreSQL's names. */
export interface DescribedTable {
  readonly storage: string
  readonly title: string
  readonly key: string
  readonly isKeyGiven: boolean
  readonly isReadOnly: boolean
  /** The key is the first. */
  readonly columns: readonly DescribedColumn[]
  /** What whoever adopts the table should know. */
  readonly notes: readonly string[]
}

export interface DescribedColumn {
  readonly storage: string
  readonly title: string
  readonly type: ColumnType
  /** PostgreSQL's type where values have to be converted. */
  readonly cast: string | null
  /** The table that its foreign key leads to, by PostgreSQL's names. */
  readonly target: { readonly schema: string; readonly table: string; readonly column: string } | null
  readonly isReadOnly: boolean
  readonly isMandatory: boolean
  readonly isUnique: boolean
  readonly maxLength: number | null
  readonly choices: readonly string[]
}

const WHOLE: ReadonlySet<string> = new Set(['int2', 'int4', 'int8'])

/**
 * @param viewKey the column that tells a view's rows apart, as somebody said it
 * @returns why it cannot be adopted, as the end of a sentence that begins with its name
 */
export function describeTable(table: SchemaTable, viewKey: string | null): Result<DescribedTable, string> {
  if (!table.mayRead) return refuse('the role of Docket may not read it (grant select)')
  if (table.kind === 'f') return refuse('it is a foreign table')
  if (table.hasHeirs) return refuse('other tables inherit from it, and their rows may have the same keys')
  const isView = table.kind === 'v' || table.kind === 'm'
  const key = isView ? viewKeyOf(table, viewKey) : primaryKeyOf(table)
  if (!key.ok) return key
  if (!WHOLE.has(key.value.base)) {
    return refuse(
      `its key ${key.value.name} is of type ${key.value.written}; keys that are one whole number (smallint, integer, bigint) are served`,
    )
  }
  if (isStrange(key.value.name))
    return refuse(`the name of its key, ${JSON.stringify(key.value.name)}, is none that is served`)
  const taken = table.columns.find(
    ({ name }) => (name === 'sys_id' || name === 'sys_db_table_id') && name !== key.value.name,
  )
  if (taken !== undefined) return refuse(`it has a column ${taken.name} that is not its key`)
  const isReadOnly = isView || !table.mayWrite
  const others = table.columns.filter((column) => column !== key.value)
  const described = others.map((column) => [column, describeColumn(column, table, isReadOnly)] as const)
  const isKeyGiven = !key.value.hasDefault && !key.value.isIdentity && !key.value.isGenerated
  return succeed({
    storage: table.name,
    title: titleOf(table.comment, table.name),
    key: key.value.name,
    isKeyGiven: isKeyGiven && !isReadOnly,
    isReadOnly,
    columns: [describeKey(key.value), ...described.flatMap(([, column]) => column ?? [])],
    notes: [
      ...described.flatMap(([{ name, written }, column]) =>
        column === null ? [`the column ${name} (${written}) is not served`] : [],
      ),
      ...notesOnCreating(table, described, isReadOnly),
      ...notesOnReferences(table),
    ],
  })
}

function primaryKeyOf(table: SchemaTable): Result<SchemaColumn, string> {
  const columns = table.constraints.find(({ kind }) => kind === 'p')?.columns ?? []
  if (columns.length === 0) return refuse('it has no primary key')
  if (columns.length > 1) {
    return refuse(`its key is composite (${columns.join(', ')}); keys that are one whole number are served`)
  }
  const key = table.columns.find(({ name }) => name === columns[0])
  return key === undefined ? refuse('it has no primary key') : succeed(key)
}

function viewKeyOf(view: SchemaTable, named: string | null): Result<SchemaColumn, string> {
  if (named === null) {
    return refuse(`it is a view; name the column that tells its rows apart: --key ${view.name}=COLUMN`)
  }
  const key = view.columns.find(({ name }) => name === named)
  return key === undefined ? refuse(`it has no column ${named}`) : succeed(key)
}

/** Names that the statements of the record service use for their own, or cannot write. */
const isStrange = (name: string): boolean => name.includes('.') || name.startsWith('#')

function describeKey(key: SchemaColumn): DescribedColumn {
  return {
    storage: key.name,
    title: titleOf(key.comment, key.name),
    type: 'sys_id',
    cast: null,
    target: null,
    isReadOnly: true,
    isMandatory: false,
    isUnique: true,
    maxLength: null,
    choices: [],
  }
}

function describeColumn(column: SchemaColumn, table: SchemaTable, isReadOnly: boolean): DescribedColumn | null {
  if (isStrange(column.name) || UNSERVED.has(column.base)) return null
  const own = table.constraints.filter(({ columns }) => columns.length === 1 && columns[0] === column.name)
  const foreign = own.find(({ kind }) => kind === 'f')
  const listed = column.labels ?? (TEXTS.has(column.base) ? listedBy(own) : [])
  const type = typeOf(column, listed.length > 0)
  const isFixed = isReadOnly || column.isIdentity || column.isGenerated || type.isShownOnly
  return {
    storage: column.name,
    title: titleOf(column.comment, column.name),
    type: type.type,
    cast: type.cast,
    target: WHOLE.has(column.base) ? targetOf(foreign) : null,
    isReadOnly: isFixed,
    isMandatory: column.isNeverNull && !column.hasDefault && !isFixed,
    isUnique: own.some(({ kind }) => kind === 'u' || kind === 'p'),
    maxLength: column.maxLength,
    choices: listed,
  }
}

/** Bytes and search vectors say nothing in JSON. */
const UNSERVED: ReadonlySet<string> = new Set(['bytea', 'tsvector', 'tsquery', 'gtsvector', '_bytea'])
const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext'])

interface MappedType {
  readonly type: ColumnType
  readonly cast: string | null
  /** Shown as PostgreSQL writes it, and not written. */
  readonly isShownOnly: boolean
}

const AS_IT_IS: Readonly<Record<string, ColumnType>> = {
  int2: 'smallinteger',
  int4: 'integer',
  int8: 'biginteger',
  float8: 'float',
  bool: 'boolean',
  text: 'text',
  timestamp: 'datetime',
  date: 'date',
  time: 'time',
  jsonb: 'json',
  _text: 'list',
}
const CONVERTED: Readonly<Record<string, ColumnType>> = {
  float4: 'float',
  varchar: 'string',
  bpchar: 'string',
  citext: 'string',
  uuid: 'string',
  timestamptz: 'datetime',
  json: 'json',
  _varchar: 'list',
}

function typeOf(column: SchemaColumn, isListed: boolean): MappedType {
  const { base, written, scale } = column
  if (isListed) return { type: 'choice', cast: base === 'text' ? null : written, isShownOnly: false }
  // Decimals are shown with two digits behind the point: more of them are shown as a text.
  if (base === 'numeric' && scale !== null && scale <= 2) return { type: 'decimal', cast: null, isShownOnly: false }
  const same = AS_IT_IS[base]
  if (same !== undefined) return { type: same, cast: null, isShownOnly: false }
  const converted = CONVERTED[base]
  if (converted !== undefined) return { type: converted, cast: written, isShownOnly: false }
  return { type: 'string', cast: written, isShownOnly: true }
}

/** Texts of `check (column in ('a', 'b'))`, in the ways in which PostgreSQL writes it back; none: there is no such check. */
function listedBy(constraints: readonly SchemaConstraint[]): readonly string[] {
  for (const { kind, definition } of constraints) {
    const list =
      kind === 'c' ? /^CHECK \(+[^=<>!]*= ANY \(+ARRAY\[(.*)\]\)*(?:::[a-z ]+(?:\[\])?)?\)+$/s.exec(definition) : null
    const items = list?.[1]?.match(/'(?:[^']|'')*'(?:::[a-z ]+)?/g) ?? []
    const rest = (list?.[1] ?? '').replaceAll(/\(?'(?:[^']|'')*'(?:::[a-z ]+(?:\(\d+\))?)?\)?(?:::[a-z ]+)?/g, '')
    if (items.length > 0 && /^[\s,]*$/.test(rest)) {
      return items.map((item) => item.slice(1, item.lastIndexOf("'")).replaceAll("''", "'"))
    }
  }
  return []
}

function targetOf(foreign: SchemaConstraint | undefined): DescribedColumn['target'] {
  const [column] = foreign?.targetColumns ?? []
  if (foreign === undefined || foreign.targetSchema === null || foreign.targetTable === null || column === undefined)
    return null
  return { schema: foreign.targetSchema, table: foreign.targetTable, column }
}

function notesOnCreating(
  { columns }: SchemaTable,
  described: readonly (readonly [SchemaColumn, DescribedColumn | null])[],
  isReadOnly: boolean,
): readonly string[] {
  const blocking = described
    .filter(
      ([column, as]) =>
        column.isNeverNull &&
        !column.hasDefault &&
        !column.isIdentity &&
        !column.isGenerated &&
        (as === null || as.isReadOnly),
    )
    .map(([{ name }]) => name)
  if (isReadOnly || blocking.length === 0 || columns.length === 0) return []
  return [`records cannot be created: ${blocking.join(', ')} must have a value, and Docket does not write its type`]
}

function notesOnReferences({ constraints }: SchemaTable): readonly string[] {
  return constraints
    .filter(({ kind, columns }) => kind === 'f' && columns.length > 1)
    .map(
      ({ columns, targetTable }) =>
        `(${columns.join(', ')}) leads to ${targetTable} by several columns, which are served as values`,
    )
}

const MAX_TITLE = 255

/** The first line of the comment; without one, the name. */
function titleOf(comment: string | null, name: string): string {
  const line = comment?.trim().split('\n')[0]?.trim() ?? ''
  return (line === '' ? name.replaceAll('_', ' ').trim() || name : line).slice(0, MAX_TITLE)
}
