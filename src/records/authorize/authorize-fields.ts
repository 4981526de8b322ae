import { LRUCache } from 'lru-cache'
import type { Access } from '../../acl/decide.ts'
import { grantsOnField, isNever } from '../../acl/descendants-grant.ts'
import type { Table, View } from '../../catalog/catalog.ts'
import { isResolvedPath, type ResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordRequest } from '../parse/record-request.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import type { FieldPath } from './authorized-request.ts'
import { explainPath, firstDenied, isTableDenied } from './readable-path.ts'

/** Most requests of a client name the same fields, and resolving them again costs more than everything else here. */
const fieldsKnown = new WeakMap<Access, LRUCache<string, Result<readonly FieldPath[], Problem>>>()
const MAX_FIELD_LISTS = 200
/** More fields than any table has columns; each is at least one expression of the statement. */
export const MAX_FIELDS = 500

const badFields = (found: string, expected: string): Result<never, Problem> =>
  fail({ kind: 'bad-parameter', parameter: { part: 'fields' }, found, expected })

/** The fields of the response that the caller may read. */
export function authorizeFields(
  request: RecordRequest,
  table: Table,
  context: AuthorizationContext,
): Result<readonly FieldPath[], Problem> {
  const count = request.fields?.length ?? 0
  if (count > MAX_FIELDS) return badFields(`${count} fields`, `at most ${MAX_FIELDS} fields`)
  // The selected view depends on the caller.
  if (request.view !== null) return authorizeEachField(request, table, context)
  const known = fieldsKnown.get(context.access) ?? new LRUCache({ max: MAX_FIELD_LISTS })
  fieldsKnown.set(context.access, known)
  const key = `${context.names?.face ?? ''} ${table.name} ${request.fields?.join(',') ?? '*'}`
  const before = known.get(key)
  if (before !== undefined) return before
  const authorized = authorizeEachField(request, table, context)
  known.set(key, authorized)
  return authorized
}

/** Clients send `sysparm_view=1`: an unknown view is ignored, and the response says so. */
export function withoutUnknownView(request: RecordRequest, table: Table, context: AuthorizationContext): RecordRequest {
  return request.view === null || findView(request.view, table, context) !== undefined
    ? request
    : { ...request, view: null }
}

function authorizeEachField(
  request: RecordRequest,
  table: Table,
  context: AuthorizationContext,
): Result<readonly FieldPath[], Problem> {
  const fields: FieldPath[] = []
  for (const name of request.fields ?? []) {
    const fieldPath = resolvePath(context.catalog, table, name.split('.'), context)
    if (!isResolvedPath(fieldPath)) {
      const expected = `a list of columns of ${table.name} (${explainPath(fieldPath, context)})`
      return badFields(name, expected)
    }
    fields.push(...visible(fieldPath, context))
  }
  const view = request.view === null ? undefined : findView(request.view, table, context)
  if (view === undefined && request.fields !== null) return succeed(fields)
  const ofView = view?.columns.map((column) => inWordsOf(column, table, context))
  const columns = ofView ?? context.names?.columnsOf(table) ?? [...table.columns.keys()]
  return succeed(fieldsOfView(columns, request.fields, { table, context }))
}

/** A path of the dictionary in the names of the request. */
function inWordsOf(path: string, table: Table, { catalog, names }: AuthorizationContext): string {
  const fieldPath = names === null ? null : resolvePath(catalog, table, path.split('.'))
  if (names === null || fieldPath === null || !isResolvedPath(fieldPath)) return path
  return [...fieldPath.hops, fieldPath.end].map((at) => names.nameOfColumn(at.table.name, at.column.name)).join('.')
}

/**
 * A view may outlive a column, which is not an error of the caller.
 *
 * @param named the columns that the caller names; null: all
 */
function fieldsOfView(
  columns: readonly string[],
  named: readonly string[] | null,
  { table, context }: { readonly table: Table; readonly context: AuthorizationContext },
): readonly FieldPath[] {
  return columns
    .filter((column) => named === null || named.includes(column))
    .map((column) => resolvePath(context.catalog, table, column.split('.'), context))
    .flatMap((fieldPath) => (isResolvedPath(fieldPath) ? visible(fieldPath, context) : []))
}

/**
 * Finds a view by title. A personal view precedes a shared one, that of a child precedes its parent's. An unknown title is
 * treated as if no view was requested.
 */
function findView(title: string, table: Table, { catalog, principal }: AuthorizationContext): View | undefined {
  const named = table.ancestors
    .flatMap((name) => catalog.views.get(name) ?? [])
    .filter((view) => view.title.toLowerCase() === title.toLowerCase())
  return named.find((view) => view.userId === principal.userId) ?? named.find((view) => view.userId === null)
}

/** A field that cannot be read has no key; a field behind a denied reference is null. */
function visible(fieldPath: ResolvedPath, context: AuthorizationContext): readonly FieldPath[] {
  const { access, catalog } = context
  const { hops, end } = fieldPath
  if (grantsOnField(access, catalog, end.table, end.column).every(isNever)) return []
  const isPathDenied = hops.length > 0 && isDenied(fieldPath, context)
  return [{ fieldPath, denied: isPathDenied }]
}

/** The end of the path is a field that the caller may read. */
function isDenied({ hops, end }: ResolvedPath, context: AuthorizationContext): boolean {
  return firstDenied(hops, context) !== null || isTableDenied(end.table, context)
}
