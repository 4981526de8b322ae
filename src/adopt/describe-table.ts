import { COLUMN_TYPE_NAMES, COLUMN_TYPES, type ColumnTypeName } from '../column-types/column-types.ts'
import { comparedAs, keyOfColumns, type RecordKey } from '../column-types/record-key.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type { SchemaColumn, SchemaConstraint, SchemaTable } from './read-schema.ts'

/** A table of the database as the dictionary describes it, by PostgreSQL's names. */
export interface DescribedTable {
  readonly storage: string
  readonly title: string
  readonly key: RecordKey
  readonly isKeyGiven: boolean
  readonly isReadOnly: boolean
  /** The key is the first. */
  readonly columns: readonly DescribedColumn[]
  /** Notes for the person who adopts the table. */
  readonly notes: readonly string[]
}

export interface DescribedColumn {
  readonly storage: string
  readonly title: string
  readonly type: ColumnTypeName
  /** PostgreSQL's type if values have to be converted. */
  readonly cast: string | null
  /** null: no foreign key. */
  readonly target: DescribedTarget | null
  readonly isReadOnly: boolean
  readonly isMandatory: boolean
  readonly isUnique: boolean
  readonly maxLength: number | null
  readonly choices: readonly string[]
}

/** The target of a foreign key, by PostgreSQL's names. */
export interface DescribedTarget {
  readonly schema: string
  readonly table: string
  readonly columns: readonly string[]
  /** The referencing columns, in the same order. */
  readonly from: readonly string[]
}

/**
 * @param viewKey the column that identifies a view's rows, as given; several are separated by commas
 * @returns why it cannot be adopted, as the end of a sentence that begins with its name
 */
export function describeTable(table: SchemaTable, viewKey: string | null): Result<DescribedTable, string> {
  if (!table.mayRead) return fail('the role of Docket may not read it (grant select)')
  if (table.kind === 'f') return fail('it is a foreign table')
  if (table.hasHeirs) return fail('other tables inherit from it, and their rows may have the same keys')
  const isView = table.kind === 'v' || table.kind === 'm'
  const columns = isView ? viewKeyOf(table, viewKey) : primaryKeyOf(table)
  if (!columns.ok) return columns
  const unfit = whyNoKey(table, columns.value)
  if (unfit !== null) return fail(unfit)
  const key = keyOfColumns(columns.value.map(({ name, written }) => ({ column: name, type: written })))
  const isReadOnly = isView || !table.mayWrite
  const [only] = key.kind === 'parts' ? [] : columns.value
  const others = table.columns.filter((column) => column !== only)
  const described = others.map((column) => [column, describeColumn(column, table, isReadOnly)] as const)
  const isKeyGiven = only !== undefined && !only.hasDefault && !only.isIdentity && !only.isGenerated
  return succeed({
    storage: table.name,
    title: titleOf(table.comment, table.name),
    key,
    isKeyGiven: isKeyGiven && !isReadOnly,
    isReadOnly,
    columns: [
      only === undefined ? describeParts(columns.value) : describeKey(only, key),
      ...described.flatMap(([, column]) => column ?? []),
      ...describeReferences(table),
    ],
    notes: [
      ...described.flatMap(([{ name, written }, column]) =>
        column === null ? [`the column ${name} (${written}) is not served`] : [],
      ),
      ...notesOnCreating(table, described, isReadOnly),
    ],
  })
}

function primaryKeyOf(table: SchemaTable): Result<readonly SchemaColumn[], string> {
  const columns = table.constraints.find(({ kind }) => kind === 'p')?.columns ?? []
  return columns.length === 0 ? fail('it has no primary key') : columnsNamed(table, columns)
}

function viewKeyOf(view: SchemaTable, named: string | null): Result<readonly SchemaColumn[], string> {
  if (named === null) {
    return fail(`it is a view; name the column that tells its rows apart: --key ${view.name}=COLUMN`)
  }
  const isOne = view.columns.some(({ name }) => name === named)
  return columnsNamed(view, isOne ? [named] : named.split(','))
}

function columnsNamed(table: SchemaTable, names: readonly string[]): Result<readonly SchemaColumn[], string> {
  const columns: SchemaColumn[] = []
  for (const name of names) {
    const column = table.columns.find((each) => each.name === name)
    if (column === undefined) return fail(`it has no column ${name}`)
    columns.push(column)
  }
  return succeed(columns)
}

function whyNoKey(table: SchemaTable, key: readonly SchemaColumn[]): string | null {
  const strange = key.find(({ name }) => isStrange(name))
  if (strange !== undefined) return `the name of its key, ${JSON.stringify(strange.name)}, is none that is served`
  const unserved = key.find(({ base }) => UNSERVED.has(base))
  if (unserved !== undefined) return `its key ${unserved.name} is of type ${unserved.written}, which is not served`
  const foreign = key.find(({ written, labels, base }) => written.includes('.') && labels === null && base !== 'citext')
  if (foreign !== undefined)
    return `its key ${foreign.name} is of type ${foreign.written}, which an extension brings and is not served as a key`
  const [only, second] = key
  const isKey = (column: SchemaColumn): boolean => second === undefined && column === only
  const taken = table.columns.find(
    (column) => (column.name === 'sys_id' || column.name === 'sys_db_table_id') && !isKey(column),
  )
  return taken === undefined ? null : `it has a column ${taken.name} that is not its key`
}

/** Names that the statements of the record service use themselves, or cannot write. */
const isStrange = (name: string): boolean => name.includes('.') || name.startsWith('#')

function describeKey(column: SchemaColumn, key: RecordKey): DescribedColumn {
  const cast = comparedAs(key)
  return { ...SYS_ID, storage: column.name, title: titleOf(column.comment, column.name), cast }
}

/** A key of several columns, which are served beside it. */
function describeParts(columns: readonly SchemaColumn[]): DescribedColumn {
  const title = columns.map(({ comment, name }) => titleOf(comment, name)).join(', ')
  return { ...SYS_ID, storage: 'sys_id', title: title.slice(0, MAX_TITLE) }
}

const SYS_ID = {
  type: 'sys_id',
  cast: null,
  target: null,
  isReadOnly: true,
  isMandatory: false,
  isUnique: true,
  maxLength: null,
  choices: [],
} as const

/** References by foreign keys of several columns; the columns themselves are served too, and determine the reference. */
function describeReferences({ constraints }: SchemaTable): readonly DescribedColumn[] {
  return constraints.flatMap((constraint): readonly DescribedColumn[] => {
    const target = targetOf(constraint)
    if (constraint.kind !== 'f' || constraint.columns.length < 2 || target === null) return []
    return [
      {
        storage: storageOf(constraint),
        title: titleOf(null, target.table),
        type: 'string',
        cast: null,
        target,
        isReadOnly: true,
        isMandatory: false,
        isUnique: false,
        maxLength: null,
        choices: [],
      },
    ]
  })
}

/** A name that no column has. PostgreSQL's names have at most 63 bytes. */
function storageOf({ name }: SchemaConstraint): string {
  let end = name.length
  while (Buffer.byteLength(name.slice(0, end)) > 60) end -= 1
  return `#${name.slice(0, end)}`
}

function describeColumn(column: SchemaColumn, table: SchemaTable, isReadOnly: boolean): DescribedColumn | null {
  if (isStrange(column.name) || UNSERVED.has(column.base)) return null
  const own = table.constraints.filter(({ columns }) => columns.length === 1 && columns[0] === column.name)
  const foreign = own.find(({ kind }) => kind === 'f')
  const listed = column.labels ?? (TEXTS.has(column.base) ? listedBy(own, column.name) : [])
  const type = typeOf(column, listed.length > 0)
  const isFixed = isReadOnly || column.isIdentity || column.isGenerated || type.isDisplayOnly
  return {
    storage: column.name,
    title: titleOf(column.comment, column.name),
    type: type.type,
    cast: type.cast,
    target: targetOf(foreign),
    isReadOnly: isFixed,
    isMandatory: column.isNeverNull && !column.hasDefault && !isFixed,
    isUnique: own.some(({ kind }) => kind === 'u' || kind === 'p'),
    maxLength: column.maxLength,
    choices: listed,
  }
}

/** Bytes and search vectors have no useful JSON form. */
const UNSERVED: ReadonlySet<string> = new Set(['bytea', 'tsvector', 'tsquery', 'gtsvector', '_bytea'])
const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext'])

interface MappedType {
  readonly type: ColumnTypeName
  readonly cast: string | null
  /** Displayed in PostgreSQL's text form, and read-only. */
  readonly isDisplayOnly: boolean
}

function typeOf(column: SchemaColumn, isListed: boolean): MappedType {
  const { base, written } = column
  if (isListed) return { type: 'choice', cast: base === 'text' ? null : written, isDisplayOnly: false }
  if (base === 'numeric') return { type: 'decimal', cast: castOfNumber(column), isDisplayOnly: false }
  const same = typeAdopting(base, 'same')
  if (same !== undefined) return { type: same, cast: null, isDisplayOnly: false }
  const converted = typeAdopting(base, 'cast')
  return { type: converted ?? 'string', cast: written, isDisplayOnly: converted === undefined }
}

const typeAdopting = (base: string, way: 'same' | 'cast'): ColumnTypeName | undefined =>
  COLUMN_TYPE_NAMES.find((type) => COLUMN_TYPES[type].storage.adopts?.[way]?.includes(base))

/**
 * Without a cast a decimal has two decimal places; with a cast, it has all places that PostgreSQL stores. With fewer than two, PostgreSQL
 * would round what is written.
 */
function castOfNumber({ scale, precision }: SchemaColumn): string | null {
  if (scale === null || precision === null) return 'numeric'
  return scale === 2 ? null : `numeric(${precision},${scale})`
}

/**
 * Texts of `check (column in ('a', 'b'))`, in the forms in which PostgreSQL prints it; empty without such a check. A check on an expression,
 * such as `lower(column) in ('a', 'b')`, and a negated check do not list the values of the column.
 */
function listedBy(constraints: readonly SchemaConstraint[], column: string): readonly string[] {
  for (const { kind, definition } of constraints) {
    const list =
      kind === 'c'
        ? /^CHECK \(+((?:"(?:[^"]|"")*"|[^\s"()]+)\)?(?:::[a-z ]+)?) = ANY \(+ARRAY\[(.*?)\]\)*(?:::[a-z ]+(?:\[\])?)?\)+$/s.exec(
            definition,
          )
        : null
    const name = list?.[1]?.replace(/\)?(?:::[a-z ]+)?$/, '')
    if (name !== column && name !== `"${column.replaceAll('"', '""')}"`) continue
    const items = list?.[2]?.match(/'(?:[^']|'')*'(?:::[a-z ]+)?/g) ?? []
    const rest = (list?.[2] ?? '').replaceAll(/\(?'(?:[^']|'')*'(?:::[a-z ]+(?:\(\d+\))?)?\)?(?:::[a-z ]+)?/g, '')
    if (items.length > 0 && /^[\s,]*$/.test(rest)) {
      return items.map((item) => item.slice(1, item.lastIndexOf("'")).replaceAll("''", "'"))
    }
  }
  return []
}

function targetOf(foreign: SchemaConstraint | undefined): DescribedTarget | null {
  if (foreign === undefined || foreign.targetSchema === null || foreign.targetTable === null) return null
  const { targetSchema, targetTable, targetColumns, columns } = foreign
  return { schema: targetSchema, table: targetTable, columns: targetColumns, from: columns }
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

const MAX_TITLE = 255

/** The first line of the comment; without a comment, the name. */
function titleOf(comment: string | null, name: string): string {
  const line = comment?.trim().split('\n')[0]?.trim() ?? ''
  return (line === '' ? name.replaceAll('_', ' ').trim() || name : line).slice(0, MAX_TITLE)
}
