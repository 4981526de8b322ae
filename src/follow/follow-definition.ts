import { createHash } from 'node:crypto'
import type { Catalog, Column, Table, TableColumn } from '../catalog/catalog.ts'
import { isResolvedPath, type ResolvedPath, resolvePath } from '../catalog/resolve-path.ts'
import { isJournal, isSecret, refersToAny, refersToFile, refersToMany } from '../column-types/column-types.ts'
import type { ConditionComparison, ConditionTree } from '../condition/condition-tree.ts'
import type { Operator } from '../condition/operators.ts'
import { parseEncodedQuery } from '../condition/parse-encoded-query.ts'
import { comparisonsOf, firstRows, ROWS_ARE_FOR_QUERIES } from '../condition/parts-of-tree.ts'
import { invalidValue } from '../kernel/invalid-value.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { pathsOfTemplate } from './write-text.ts'

/** What a collection follows (docs/spec/documents.md, section 6). */
export interface FollowSettings {
  readonly table: string
  readonly query: string
  readonly template: string
  readonly metadata: readonly string[]
  /** Paths whose values are visible to all who may read the record, whatever the rules of these columns are. */
  readonly exposed: readonly string[]
}

/** The settings resolved against the current dictionary. */
export interface FollowDefinition {
  readonly table: Table
  /** Paths of the template and the metadata that exist. */
  readonly displayed: readonly string[]
  /**
   * Columns of the record that a reader must be allowed to read to see its document: those that it displays, and those that
   * select it.
   */
  readonly guards: readonly string[]
  /** Other records that a document depends on. */
  readonly dependencies: readonly Dependency[]
  /** Names that the settings use and that the dictionary no longer has. */
  readonly missing: readonly string[]
  /** Changes when the dictionary changes in the names that the settings use, so that every document may differ. */
  readonly signature: string
}

/** A record of one of these classes affects the documents of the records whose field path leads to it. */
export interface Dependency {
  /** Field path from the followed record to the other, such as `caller.company`. */
  readonly path: string
  readonly classIds: readonly string[]
}

/** null: the table does not exist any more. */
export function defineFollow(settings: FollowSettings, catalog: Catalog): FollowDefinition | null {
  const table = catalog.tables.get(settings.table)
  if (table === undefined) return null
  const uses = usesOf(settings, table, catalog)
  const found = uses.flatMap((use) => (use.fieldPath === null ? [] : [{ ...use, fieldPath: use.fieldPath }]))
  const displayed = found.filter(({ where }) => where !== 'query').map(({ path }) => path)
  const guards = found
    .filter(({ path, fieldPath }) => fieldPath.hops.length === 0 && !settings.exposed.includes(path))
    .map(({ path }) => path)
  const visited = found.flatMap(({ fieldPath, isDisplayedByName }) =>
    dependenciesOf(fieldPath, isDisplayedByName, catalog),
  )
  return {
    table,
    displayed: unique(displayed),
    guards: unique(guards),
    dependencies: [...new Map(visited.map((dependency) => [dependency.path, dependency])).values()],
    missing: unique(uses.filter(({ fieldPath }) => fieldPath === null).map(({ path }) => path)),
    signature: signatureOf(table, uses, catalog),
  }
}

/** Why these settings cannot be followed; null: they can. */
export function problemWithFollow(settings: FollowSettings, catalog: Catalog): Problem | null {
  const table = catalog.tables.get(settings.table)
  if (table === undefined) return { kind: 'table-not-found', table: settings.table, similar: [] }
  if (pathsOfTemplate(settings.template).length === 0) {
    return invalidValue('template', 'it names no column, as {subject} does')
  }
  const query = readQuery(settings.query)
  if (!query.ok) return query.error
  for (const use of usesOf(settings, table, catalog)) {
    const detail = problemWithUse(use, settings, catalog)
    if (detail === null) continue
    if (use.where !== 'query') return invalidValue(use.where, `${use.path} ${detail}`)
    return { kind: 'bad-query', detail: `${use.path} ${detail}`, position: use.position }
  }
  return null
}

// ── what the settings name ──

interface Use {
  readonly where: 'template' | 'metadata' | 'query'
  readonly path: string
  /** null: the dictionary does not have it. */
  readonly fieldPath: ResolvedPath | null
  /** A reference at the end of the path is used by the name of the record to which it refers. */
  readonly isDisplayedByName: boolean
  readonly position: number
}

function usesOf(settings: FollowSettings, table: Table, catalog: Catalog): readonly Use[] {
  const pathOf_ = (path: string): ResolvedPath | null => {
    const fieldPath = resolvePath(catalog, table, path.split('.'))
    return isResolvedPath(fieldPath) ? fieldPath : null
  }
  const displayed = (where: 'template' | 'metadata', paths: readonly string[]): readonly Use[] =>
    paths.map((path) => {
      const fieldPath = pathOf_(path)
      return { where, path, fieldPath, isDisplayedByName: where === 'template' && leadsOn(fieldPath), position: 0 }
    })
  const query = readQuery(settings.query)
  const comparisons = query.ok && query.value !== null ? comparisonsOf(query.value) : []
  const requested = comparisons.flatMap((comparison) =>
    pathsOfComparison(comparison, table).map((path): Use => {
      const fieldPath = pathOf_(path)
      const isDisplayedByName = leadsOn(fieldPath) && !BY_ID.has(comparison.operator)
      return { where: 'query', path, fieldPath, isDisplayedByName, position: comparison.position }
    }),
  )
  return [
    ...displayed('template', pathsOfTemplate(settings.template)),
    ...displayed('metadata', settings.metadata),
    ...requested,
  ]
}

const leadsOn = (fieldPath: ResolvedPath | null): boolean =>
  fieldPath !== null && fieldPath.end.column.reference !== null

/** These operators compare the sys_id of a reference; all others compare its display value. */
const BY_ID: ReadonlySet<Operator> = new Set([
  '=',
  '!=',
  'IN',
  'NOT IN',
  'ISEMPTY',
  'ISNOTEMPTY',
  'EMPTYSTRING',
  'ANYTHING',
  'SAMEAS',
  'NSAMEAS',
  'HAS',
  'CONTAINS_DYNAMIC',
  'DOESNOTCONTAIN_DYNAMIC',
  'HASNOT',
  'DYNAMIC',
])

/** A search over the record includes every searched column. */
function pathsOfComparison({ path, value }: ConditionComparison, table: Table): readonly string[] {
  if (path.length === 0) {
    return [...table.columns.values()].filter(({ fullTextSearch }) => fullTextSearch).map(({ name }) => name)
  }
  return value.kind === 'field' ? [path.join('.'), value.path.join('.')] : [path.join('.')]
}

/** The condition of a followed query; null: every record. @throws Error if the stored text is not a query */
export function followedCondition(text: string): ConditionTree | null {
  const read = readQuery(text)
  if (!read.ok) throw new Error(`the followed query cannot be read: ${JSON.stringify(read.error)}`)
  return read.value
}

function readQuery(text: string): Result<ConditionTree | null, Problem> {
  if (text === '') return succeed(null)
  const parsed = parseEncodedQuery(text)
  if (!parsed.ok) return fail({ kind: 'bad-query', detail: parsed.error.detail, position: parsed.error.position })
  const [order] = parsed.value.orders
  if (order !== undefined)
    return fail({ kind: 'bad-query', detail: 'a followed query has no order', position: order.position })
  const rows = parsed.value.where === null ? undefined : firstRows(parsed.value.where)
  if (rows === undefined) return succeed(parsed.value.where)
  return fail({ kind: 'bad-query', detail: ROWS_ARE_FOR_QUERIES, position: rows.position })
}

// ── other records ──

function dependenciesOf(fieldPath: ResolvedPath, isDisplayedByName: boolean, catalog: Catalog): readonly Dependency[] {
  const path = fieldPath.path.split('.')
  const visited: readonly TableColumn[] = isDisplayedByName ? [...fieldPath.hops, fieldPath.end] : fieldPath.hops
  return visited.flatMap(({ column }, index): readonly Dependency[] => {
    const target = catalog.tables.get(column.reference ?? '')
    if (target === undefined) return []
    const classIds = target.descendants.flatMap((name) => catalog.tables.get(name)?.id ?? [])
    return [{ path: path.slice(0, index + 1).join('.'), classIds }]
  })
}

function signatureOf(table: Table, uses: readonly Use[], catalog: Catalog): string {
  const described = (column: Column): unknown => [
    column.id,
    column.type,
    column.storage,
    column.reference,
    column.reference === null ? null : catalog.tables.get(column.reference)?.displayColumn?.id,
    column.choices.map(({ value, titles }) => [value, titles]),
  ]
  const stated = uses.map(({ path, fieldPath }) => [
    path,
    fieldPath === null ? null : [...fieldPath.hops, fieldPath.end].map(({ column }) => described(column)),
  ])
  const descendants = table.descendants.map((name) => catalog.tables.get(name)?.id)
  return createHash('sha256')
    .update(JSON.stringify([table.id, descendants, stated]))
    .digest('base64url')
}

// ── what cannot be followed ──

const hasText = (column: Column): boolean =>
  !isSecret(column) && !isJournal(column) && !refersToFile(column) && !refersToAny(column)

function problemWithUse(use: Use, { exposed, table }: FollowSettings, catalog: Catalog): string | null {
  const { fieldPath, where, path, isDisplayedByName } = use
  if (fieldPath === null) {
    const failure = resolvePath(catalog, catalog.tables.get(table) as Table, path.split('.'))
    if (isResolvedPath(failure)) return null
    return where === 'query' || path.includes('.') ? `cannot be used: ${failure.detail}` : `is not a column of ${table}`
  }
  const { column } = fieldPath.end
  if (where !== 'query' && !hasText(column)) return `has no text (${column.type})`
  if (refersToAny(column)) return 'leads to records of any table, whose changes would not be noticed'
  if (isDisplayedByName && refersToMany(column))
    return 'leads to many other records, whose changes would not be noticed'
  if (where === 'metadata' && fieldPath.hops.length > 0)
    return 'is of another record; metadata holds columns of the record'
  const isOfAnother = fieldPath.hops.length > 0 || isDisplayedByName
  if (!isOfAnother || exposed.includes(path)) return null
  return (
    'is of another record, which has access rules of its own, and documents are there for whoever may read this one; ' +
    'name it in exposed_columns if that is meant'
  )
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]
