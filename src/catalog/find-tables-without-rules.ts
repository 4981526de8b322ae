import type { AccessRule, Catalog } from './catalog.ts'

/** A table that only administrators can use, because it has no rule. */
export interface TableWithoutRules {
  readonly table: string
  /** Operations without an active rule of the table or of its ancestors. */
  readonly operations: readonly AccessRule['operation'][]
}

const OPERATIONS = ['create', 'delete', 'read', 'write'] as const

/** By name. Rules for `*` do not count: they apply to every table, also to those that nobody thought of. */
export function findTablesWithoutRules({ tables, rules }: Catalog): readonly TableWithoutRules[] {
  const decided = new Set(
    rules.filter(({ column }) => column === null).map(({ operation, table }) => `${operation} ${table}`),
  )
  return [...tables.values()]
    .map(({ name, ancestors }) => ({
      table: name,
      operations: OPERATIONS.filter((operation) => !ancestors.some((level) => decided.has(`${operation} ${level}`))),
    }))
    .filter(({ operations }) => operations.length > 0)
    .toSorted((one, other) => (one.table < other.table ? -1 : 1))
}
