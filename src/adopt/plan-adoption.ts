import { isOwnKey, isText } from '../column-types/column-types.ts'
import { comparedAs, type RecordKey } from '../column-types/record-key.ts'
import type { DescribedColumn, DescribedTable, DescribedTarget } from './describe-table.ts'
import { freeColumnName, freeTableName } from './dictionary-name.ts'
import type { AdoptedColumn, AdoptedTable } from './read-adopted.ts'

/** How the dictionary should describe the tables of a schema, and what changes for it. */
export interface AdoptionPlan {
  readonly tables: readonly PlannedTable[]
  /** Adopted tables that are not in the database any more. */
  readonly gone: readonly AdoptedTable[]
}

export interface PlannedTable {
  readonly name: string
  readonly described: DescribedTable
  /** null: it is new. */
  readonly before: AdoptedTable | null
  readonly columns: readonly PlannedColumn[]
  readonly dropped: readonly AdoptedColumn[]
  /** Notes for the person who adopts the table. */
  readonly notes: readonly string[]
}

export interface PlannedColumn {
  readonly name: string
  readonly described: DescribedColumn
  readonly type: string
  readonly cast: string | null
  /** Name of a table of the dictionary. */
  readonly reference: string | null
  /** A reference by several columns, or by one whose values are not the sys_ids themselves: in the order of the target's key. */
  readonly parts: readonly string[] | null
  /** The unique column of the target whose value a reference contains; null: it contains the key. */
  readonly through: string | null
  readonly maxLength: number | null
  /** null: it is new. */
  readonly before: AdoptedColumn | null
  /** The differences in words; empty for a new or unchanged column. */
  readonly changes: readonly string[]
  readonly isDisplayed: boolean
}

export interface Grounds {
  readonly schema: string
  readonly described: readonly DescribedTable[]
  /** Every table of the schema, adopted or not. */
  readonly standing: ReadonlySet<string>
  readonly adopted: readonly AdoptedTable[]
  readonly taken: ReadonlySet<string>
}

export function planAdoption(grounds: Grounds): AdoptionPlan {
  const { schema, described, standing, adopted } = grounds
  const own = adopted.filter((table) => table.schema === schema)
  const named = nameTables(grounds, own)
  const keys = new Map([
    ...adopted
      .filter((table) => table.schema !== schema || standing.has(table.storage))
      .map((table) => [placeOf(table.schema, table.storage), { name: table.name, key: table.key }] as const),
    ...described.map(
      (table) => [placeOf(schema, table.storage), { name: named.get(table.storage) ?? '', key: table.key }] as const,
    ),
  ])
  const referenceOf = (column: DescribedColumn): PlannedReference | null => {
    const { target } = column
    const found = target === null ? undefined : keys.get(placeOf(target.schema, target.table))
    return target === null || found === undefined ? null : planReference(column, target, found)
  }
  return {
    tables: described.map((table) => {
      const before = own.find(({ storage }) => storage === table.storage) ?? null
      return planTable(table, { name: named.get(table.storage) ?? '', before, referenceOf })
    }),
    gone: own.filter(({ storage }) => !standing.has(storage)),
  }
}

interface PlannedReference extends Pick<PlannedColumn, 'cast' | 'parts' | 'through'> {
  readonly to: string
}

/** null: its values are served unchanged. */
function planReference(
  { cast }: DescribedColumn,
  { columns, from }: DescribedTarget,
  { name, key }: { readonly name: string; readonly key: RecordKey },
): PlannedReference | null {
  const parts = key.parts.map(({ column }) => from[columns.indexOf(column)])
  const isToKey = columns.length === key.parts.length && !parts.includes(undefined)
  if (isToKey && key.kind !== 'parts')
    return { to: name, cast: key.kind === 'text' ? cast : null, parts: null, through: null }
  if (isToKey) return { to: name, cast: null, parts: parts.flatMap((part) => part ?? []), through: null }
  const [only, second] = columns
  // PostgreSQL compares these with operators of an extension.
  if (only === undefined || second !== undefined || cast?.endsWith('citext')) return null
  return { to: name, cast: comparedAs(key), parts: null, through: only }
}

const placeOf = (schema: string, table: string): string => JSON.stringify([schema, table])

/** A table keeps the name under which it was adopted. */
function nameTables({ schema, described, taken }: Grounds, own: readonly AdoptedTable[]): ReadonlyMap<string, string> {
  const names = new Map(own.map((table) => [table.storage, table.name]))
  const used = new Set(taken)
  for (const { storage } of described) {
    if (names.has(storage)) continue
    const name = freeTableName(storage, schema, used)
    used.add(name)
    names.set(storage, name)
  }
  return names
}

interface Around {
  readonly name: string
  readonly before: AdoptedTable | null
  readonly referenceOf: (column: DescribedColumn) => PlannedReference | null
}

function planTable(table: DescribedTable, { name, before, referenceOf }: Around): PlannedTable {
  // A former key column may be an ordinary column now.
  const others = (before?.columns ?? []).filter((column) => column.name !== 'sys_id')
  const known = new Map(others.map((column) => [column.storage, column]))
  const used = new Set(['sys_id', ...(before?.columns ?? []).map((column) => column.name)])
  const references = new Map(table.columns.map((column) => [column, referenceOf(column)]))
  const served = table.columns.filter((column) => !isOfSeveral(column) || references.get(column) != null)
  const displayed =
    before === null
      ? displayedBy(
          table,
          served.filter((column) => references.get(column) == null),
        )
      : null
  const columns = served.map((described): PlannedColumn => {
    const isKey = isOwnKey(described)
    // The key column stays sys_id, even if the database has another key now.
    const old = isKey ? before?.columns.find((column) => column.name === 'sys_id') : known.get(described.storage)
    const reference = references.get(described) ?? null
    const wished = isOfSeveral(described) ? (reference?.to ?? '') : described.storage
    const columnName = old?.name ?? (isKey ? 'sys_id' : freeColumnName(wished, used))
    used.add(columnName)
    const planned = {
      name: columnName,
      described,
      type: reference === null ? described.type : 'reference',
      cast: reference === null ? described.cast : reference.cast,
      reference: reference?.to ?? null,
      parts: reference?.parts ?? null,
      through: reference?.through ?? null,
      maxLength: reference === null ? described.maxLength : null,
      isDisplayed: described === displayed,
    }
    return { ...planned, before: old ?? null, changes: old === undefined ? [] : changesOf(old, planned) }
  })
  const kept = new Set(columns.map((column) => column.before?.id))
  const dropped = (before?.columns ?? []).filter(({ storage, id }) => storage !== null && !kept.has(id))
  const unserved = table.columns.flatMap((column) => (served.includes(column) ? [] : (column.target ?? [])))
  const notes = unserved.map(
    (target) => `(${target.from.join(', ')}) leads to ${target.table} by several columns, which are served as values`,
  )
  return { name, described: table, before, columns, dropped, notes: [...table.notes, ...notes] }
}

/** A foreign key of several columns, which are also served separately. */
const isOfSeveral = ({ target }: DescribedColumn): boolean => (target?.from.length ?? 0) > 1

const TITLES: ReadonlySet<string> = new Set([
  'name',
  'title',
  'display_name',
  'label',
  'nazvanie',
  'naimenovanie',
  'imya',
])

/**
 * The display column: a column named like a name or a title, otherwise a text that is unique, otherwise the first text, otherwise a key
 * that is one column.
 *
 * @param columns that are not references
 */
function displayedBy({ key }: DescribedTable, columns: readonly DescribedColumn[]): DescribedColumn | null {
  const texts = columns.filter((column) => isText(column) && column.choices.length === 0)
  const named = texts.find(({ storage }) => TITLES.has(freeColumnName(storage, new Set())))
  const own = key.kind === 'text' ? columns.find(isOwnKey) : undefined
  return named ?? texts.find(({ isUnique }) => isUnique) ?? texts[0] ?? own ?? null
}

function changesOf(old: AdoptedColumn, now: Omit<PlannedColumn, 'before' | 'changes'>): readonly string[] {
  const { described } = now
  const parts: readonly (readonly [string, unknown, unknown])[] = [
    ['stored in', old.storage, described.storage],
    ['type', old.type, now.type],
    ['PostgreSQL type', old.cast, now.cast],
    ['reference', old.reference, now.reference],
    ['by', old.parts?.join(', ') ?? old.through, now.parts?.join(', ') ?? now.through],
    ['read-only', old.isReadOnly, described.isReadOnly],
    ['mandatory', old.isMandatory, described.isMandatory],
    ['unique', old.isUnique, described.isUnique],
    ['length', old.maxLength, now.maxLength],
    ['choices', old.choices.join(', '), described.choices.join(', ')],
  ]
  return parts
    .filter(([, before, after]) => before !== after)
    .map(([part, before, after]) => `${part}: ${displayed(before)} → ${displayed(after)}`)
}

const displayed = (value: unknown): string => (value === null || value === '' ? 'none' : String(value))
