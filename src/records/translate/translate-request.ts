import { type Catalog, type Column, isReadOnly, STAMP_COLUMNS, type Table } from '../../catalog/catalog.ts'
import { GIVEN_ID } from '../../catalog/given-ids.ts'
import { isResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import type { NamedColumn, Names } from '../../catalog/vocabulary.ts'
import { isSecret } from '../../column-types/column-types.ts'
import { type GivenIds, givenIdIn } from '../../column-types/served-id.ts'
import type {
  ColumnOfTable,
  ConditionComparison,
  ConditionTree,
  EncodedQuery,
  RowsCondition,
} from '../../condition/condition-tree.ts'
import { LastResults } from '../../kernel/last-results.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordRequest } from '../parse/record-request.ts'
import { translateStats } from './translate-stats.ts'

/** Unknown names in a request, which are left out of it. */
export interface IgnoredNames {
  /** Names of fields, and of columns in the body. */
  readonly fields: readonly string[]
  readonly conditions: readonly { readonly name: string; readonly position: number }[]
}

export interface TranslatedRequest {
  readonly request: RecordRequest
  readonly ignored: IgnoredNames
}

interface IdsOfRequest {
  readonly given: GivenIds
  /** The caller may give sys_id and number of a new record, and who wrote a record when. */
  readonly isAdmin: boolean
}

/**
 * Translates a request with the names of another API to those of the dictionary: its table, its sys_id, its body, and the values of its
 * conditions. Paths keep their names, because records are displayed with them; `resolvePath` resolves them by the same names. Unknown
 * names are left out, as the clients of such an API expect, and the response lists them.
 */
export function translateRequest(
  request: RecordRequest,
  catalog: Catalog,
  { given, isAdmin }: IdsOfRequest,
): Result<TranslatedRequest, Problem> {
  if (request.face === null) return succeed({ request, ignored: { fields: [], conditions: [] } })
  const names = request.face.namesIn(catalog)
  const table = names.tableNamed(request.table)
  if (table === undefined) return fail({ kind: 'table-not-found', table: request.table, similar: [] })
  const mayGiveIds = isAdmin && request.operation === 'create'
  const { query, left } = queryOf(request.query, { catalog, names, table, given, mayGiveIds })
  const ignoredConditions = [...left.conditions]
  const ground: Ground = {
    catalog,
    names,
    table,
    given,
    mayGiveIds,
    left: { fields: [], conditions: ignoredConditions },
  }
  const [unknown] = left.conditions.filter(({ position }) => position >= 0)
  if (unknown !== undefined && names.unknownNames === 'error') {
    const { name, position } = unknown
    return fail({ kind: 'bad-query', detail: `there is no column ${name} in ${request.table}`, position, field: name })
  }
  const hasNoRows = unknown !== undefined && names.unknownNames === 'no-rows'
  const translated: RecordRequest = {
    ...request,
    face: null,
    names,
    table: table.name,
    sysId: request.sysId === null ? null : names.readSysId(request.sysId, table, given),
    query: hasNoRows ? { ...query, where: nothingOf(table) } : query,
    fields: request.fields === null ? null : knownFields(request.fields, ground),
    stats: request.stats === null ? null : translateStats(request.stats, ground),
    body: translateBody(request, ground, request.givesStamps && isAdmin),
  }
  return succeed({ request: translated, ignored: ground.left })
}

interface TranslatedQuery {
  readonly query: EncodedQuery
  readonly left: Ground['left']
}

/** Equal query strings have the same tree, which means the same as long as the words do. */
const queriesKnown = new WeakMap<Names, LastResults<EncodedQuery, TranslatedQuery>>()

function queryOf(query: EncodedQuery, ground: Omit<Ground, 'left'>): TranslatedQuery {
  const known = queriesKnown.get(ground.names) ?? new LastResults()
  queriesKnown.set(ground.names, known)
  return known.get(query, [ground.table, ground.given], () => {
    const left: Ground['left'] = { fields: [], conditions: [] }
    return { query: translateQuery(query, { ...ground, left }), left }
  })
}

interface Ground {
  readonly catalog: Catalog
  readonly names: Names
  readonly table: Table
  readonly given: GivenIds
  readonly mayGiveIds: boolean
  readonly left: {
    readonly fields: string[]
    readonly conditions: { readonly name: string; readonly position: number }[]
  }
}

// ── the query ──

/** No record is without a sys_id. */
const nothingOf = ({ keyColumn }: Table): ConditionComparison => ({
  kind: 'comparison',
  path: [keyColumn],
  operator: 'ISEMPTY',
  value: { kind: 'none' },
  position: 0,
})

function translateQuery({ where, orders }: EncodedQuery, ground: Ground): EncodedQuery {
  const known = orders.filter((order) => isKnown(order.path, ground) || leaveOut(order, ground))
  return { where: where === null ? null : translateCondition(where, ground), orders: known }
}

/** null: all its conditions are left out. */
function translateCondition(tree: ConditionTree, ground: Ground): ConditionTree | null {
  if (tree.kind === 'comparison') return translateComparison(tree, ground)
  if (tree.kind === 'rows') return translateRows(tree, ground)
  const members = tree.of
    .map((member) => translateCondition(member, ground))
    .filter((member) => member !== null)
    .flatMap((member) => (member.kind === tree.kind ? member.of : [member]))
  const [only, second] = members
  if (only === undefined) return null
  return second === undefined ? only : { kind: tree.kind, of: members }
}

/** Columns of a link keep their names, as paths do; they are resolved when the request is authorized. */
function translateRows({ link, where, ...rows }: RowsCondition, ground: Ground): ConditionTree {
  const { names, catalog } = ground
  // A table with another name in this API is unknown under its own: it gets the other name, which is looked up and not found.
  const named = ({ table, column }: ColumnOfTable): ColumnOfTable => {
    const known = names.tableNamed(table)?.name
    return { column, table: known ?? (catalog.tables.has(table) ? names.nameOf(table) : table) }
  }
  const other = named(link.other)
  const table = catalog.tables.get(other.table)
  const inner = where === null || table === undefined ? where : translateCondition(where, { ...ground, table })
  const linked = link.kind === 'join' ? { ...link, own: named(link.own), other } : { ...link, other }
  return { ...rows, link: linked, where: inner }
}

function translateComparison(comparison: ConditionComparison, ground: Ground): ConditionTree | null {
  const { catalog, names, table, given } = ground
  if (comparison.path.length === 0) return comparison
  const fieldPath = resolvePath(catalog, table, comparison.path, { names, throughLists: true })
  const isOtherKnown = comparison.value.kind !== 'field' || isKnown(comparison.value.path, ground)
  if (!isResolvedPath(fieldPath) || !isOtherKnown) {
    leaveOut(comparison, ground)
    return null
  }
  return names.readComparison(comparison, fieldPath.end.column, given)
}

function leaveOut({ path, position }: Pick<ConditionComparison, 'path' | 'position'>, { left }: Ground): false {
  left.conditions.push({ name: path.join('.'), position })
  return false
}

const isKnown = (path: readonly string[], { catalog, names, table }: Ground): boolean =>
  isResolvedPath(resolvePath(catalog, table, path, { names }))

// ── fields and values ──

function knownFields(fields: readonly string[], ground: Ground): readonly string[] {
  const known = fields.filter((field) => isKnown(field.split('.'), ground))
  ground.left.fields.push(...fields.filter((field) => !known.includes(field)))
  return known
}

/** The number of a new record. */
const isGivenNumber = ({ countedIn }: Column, { mayGiveIds }: Ground): boolean => mayGiveIds && countedIn !== null

/** The column of the record itself: users are named by a path behind it. null: another column. */
function stampOf(named: NamedColumn | undefined): Column | null {
  if (named === undefined || named.via.length > 1) return null
  const column = named.via[0]?.column ?? named.stored.column
  return STAMP_COLUMNS.has(column.name) ? column : null
}

/** Some tables that were in the database before have keys that only the creator of a record knows. */
const isKeyOfCreate = ({ operation }: RecordRequest, { adopted, key }: Table): boolean =>
  operation === 'create' && adopted?.isKeyGiven === true && key.kind !== 'parts'

function translateBody(request: RecordRequest, ground: Ground, givesStamps: boolean): ReadonlyMap<string, unknown> {
  const { names, table, given, mayGiveIds, left } = ground
  const values = new Map<string, unknown>()
  for (const [name, value] of request.body) {
    const named = names.columnNamed(table, name)
    const isId = mayGiveIds && name === table.keyColumn && table.key.given !== undefined
    const stamp = givesStamps ? stampOf(named) : null
    const givenId = isId && typeof value === 'string' ? givenIdIn(value, table.key, names.idPrefix) : null
    if (named !== undefined && isSecret(named.stored.column) && names.isMasked(value)) left.fields.push(name)
    else if (stamp !== null) values.set(stamp.name, names.readValue(value, stamp, given))
    else if (givenId !== null) values.set(GIVEN_ID, givenId)
    else if (name === table.keyColumn && isKeyOfCreate(request, table))
      values.set(name, typeof value === 'string' ? names.readSysId(value, table, given) || value : value)
    else if (
      named?.isWritable === true &&
      (!isReadOnly(named.stored.column) || isGivenNumber(named.stored.column, ground))
    )
      values.set(named.stored.column.name, names.readValue(value, named.stored.column, given))
    else left.fields.push(name)
  }
  return values
}
