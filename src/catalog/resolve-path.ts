import { refersToMany, refersToOne } from '../column-types/column-types.ts'
import type { Catalog, Table, TableColumn } from './catalog.ts'
import type { Names } from './vocabulary.ts'

/** A field path resolved with the dictionary: `assigned_user.company.name` from task is two hops and a column. */
export interface ResolvedPath {
  /** As the caller wrote it. */
  readonly path: string
  /** Each reference of the path, with the table that has it. */
  readonly hops: readonly TableColumn[]
  readonly end: TableColumn
}

export interface PathFailure {
  /** Index of the segment that could not be followed. */
  readonly segment: number
  readonly detail: string
  /** If a column is missing: the table that was searched, and the name. */
  readonly missing: { readonly table: Table; readonly name: string } | null
}

interface PathOptions {
  /** A list of references may be a hop too: the path then refers to a column of several records. */
  readonly throughLists?: boolean
  /** The API whose names the path uses; null: those of the dictionary. */
  readonly names?: Names | null
  /** The path ends in the column with the stored value, not in what the API returns for it. */
  readonly asStored?: boolean
}

/** Names become columns only here: every later stage has columns of the dictionary, never a caller's text. */
export function resolvePath(
  catalog: Catalog,
  table: Table,
  path: readonly string[],
  { throughLists = false, names = null, asStored = false }: PathOptions = {},
): ResolvedPath | PathFailure {
  const hops: TableColumn[] = []
  let at = table
  for (const [index, name] of path.entries()) {
    const named = names?.columnNamed(at, name)
    const column = names === null ? at.columns.get(name) : named?.stored.column
    if (column === undefined) {
      const of = names?.nameOf(at.name) ?? at.name
      return { segment: index, detail: `there is no column ${name} in ${of}`, missing: { table: at, name } }
    }
    if (named !== undefined) hops.push(...named.via)
    if (index === path.length - 1) {
      const end = named === undefined ? { table: at, column } : asStored ? named.stored : named.displayed
      return { path: path.join('.'), hops, end }
    }
    const leadsOn = refersToOne(column) || (throughLists && refersToMany(column))
    const target = leadsOn && column.reference !== null ? catalog.tables.get(column.reference) : undefined
    if (target === undefined) {
      const detail =
        refersToMany(column) && column.reference !== null
          ? `${name} in ${at.name} is a list; a path leads through it in conditions only, on the left of an operator`
          : `${name} in ${at.name} is not a reference, so a path must end there`
      return { segment: index, detail, missing: null }
    }
    hops.push(named?.stored ?? { table: at, column })
    at = target
  }
  return { segment: 0, detail: 'a field name was expected', missing: null }
}

export function isResolvedPath(outcome: ResolvedPath | PathFailure): outcome is ResolvedPath {
  return 'end' in outcome
}
