import type { DescribedColumn, DescribedTable } from './describe-table.ts'
import { freeColumnName, freeTableName } from './dictionary-name.ts'
import type { AdoptedColumn, AdoptedTable } from './read-adopted.ts'

/** What the dictionary has to say of the tables of a schema, beside what it says. */
export interface AdoptionPlan {
  readonly tables: readonly PlannedTable[]
  /** Adopted tables that are not in the database any more. */
  readonly gone: readonly AdoptedTable[]
}

export interface PlannedTable {
  readonly name: string
  readonly described: DescribedTable
  /** null: it is adopted now. */
  readonly before: AdoptedTable | null
  readonly columns: readonly PlannedColumn[]
  readonly dropped: readonly AdoptedColumn[]
}

export interface PlannedColumn {
  readonly name: string
  readonly described: DescribedColumn
  readonly type: string
  /** Name of a table of the dictionary. */
  readonly reference: string | null
  /** null: it is new. */
  readonly before: AdoptedColumn | null
  /** What differs, in words; empty for a new column and for one that stays. */
  readonly changes: readonly string[]
  readonly isShown: boolean
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
  const referenceOf = ({ target }: DescribedColumn): string | null => {
    const found = target === null ? undefined : keys.get(placeOf(target.schema, target.table))
    return found !== undefined && found.key === target?.column ? found.name : null
  }
  return {
    tables: described.map((table) => {
      const before = own.find(({ storage }) => storage === table.storage) ?? null
      return planTable(table, { name: named.get(table.storage) ?? '', before, referenceOf })
    }),
    gone: own.filter(({ storage }) => !standing.has(storage)),
  }
}

const placeOf = (schema: string, table: string): string => JSON.stringify([schema, table])

/** A table keeps the name that it was adopted under. */
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
  readonly referenceOf: (column: DescribedColumn) => string | null
}

function planTable(table: DescribedTable, { name, before, referenceOf }: Around): PlannedTable {
  const known = new Map((before?.columns ?? []).map((column) => [column.storage, column]))
  const used = new Set(['sys_id', ...(before?.columns ?? []).map((column) => column.name)])
  const shown = before === null ? shownBy(table) : null
  const columns = table.columns.map((described): PlannedColumn => {
    const isKey = described.type === 'sys_id'
    // The key stays sys_id, also where the database has another key now.
    const old = isKey ? before?.columns.find((column) => column.name === 'sys_id') : known.get(described.storage)
    const columnName = old?.name ?? (isKey ? 'sys_id' : freeColumnName(described.storage, used))
    used.add(columnName)
    const reference = referenceOf(described)
    const type = reference === null ? described.type : 'reference'
    const planned = { name: columnName, described, type, reference, isShown: described === shown }
    return { ...planned, before: old ?? null, changes: old === undefined ? [] : changesOf(old, planned) }
  })
  const kept = new Set(columns.map((column) => column.before?.id))
  const dropped = (before?.columns ?? []).filter(({ storage, id }) => storage !== null && !kept.has(id))
  return { name, described: table, before, columns, dropped }
}

const TITLES: ReadonlySet<string> = new Set([
  'name',
  'title',
  'display_name',
  'label',
  'nazvanie',
  'naimenovanie',
  'imya',
])

/** What stands for a record: what is called a name or a title, else a text that no two records share, else the first text. */
function shownBy({ columns }: DescribedTable): DescribedColumn | null {
  const texts = columns.filter(({ type, choices }) => (type === 'string' || type === 'text') && choices.length === 0)
  const named = texts.find(({ storage }) => TITLES.has(freeColumnName(storage, new Set())))
  return named ?? texts.find(({ isUnique }) => isUnique) ?? texts[0] ?? null
}

function changesOf(
  old: AdoptedColumn,
  now: Pick<PlannedColumn, 'described' | 'type' | 'reference'>,
): readonly string[] {
  const { described } = now
  const parts: readonly (readonly [string, unknown, unknown])[] = [
    ['stored in', old.storage, described.storage],
    ['type', old.type, now.type],
    ['PostgreSQL type', old.cast, described.cast],
    ['reference', old.reference, now.reference],
    ['read-only', old.isReadOnly, described.isReadOnly],
    ['mandatory', old.isMandatory, described.isMandatory],
    ['unique', old.isUnique, described.isUnique],
    ['length', old.maxLength, described.maxLength],
    ['choices', old.choices.join(', '), described.choices.join(', ')],
  ]
  return parts
    .filter(([, before, after]) => before !== after)
    .map(([part, before, after]) => `${part}: ${shown(before)} → ${shown(after)}`)
}

const shown = (value: unknown): string => (value === null || value === '' ? 'none' : String(value))
