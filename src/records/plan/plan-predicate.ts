import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import { comparisonOf, refersToMany, refersToOne } from '../../column-types/column-types.ts'
import { type ComparisonType, isId } from '../../column-types/comparison-types.ts'
import { fits, operatorsOf } from '../../column-types/fitting-operators.ts'
import {
  describeKey,
  type RecordKey,
  readSysId,
  resolveAlias,
  resolveDocumentId,
} from '../../column-types/record-key.ts'
import type { ComparisonShape } from '../../condition/comparison-shape.ts'
import type { ConditionComparison } from '../../condition/condition-tree.ts'
import { PATTERN_OPERATORS, TEXT_OPERATORS } from '../../condition/operators.ts'
import { coarsePattern } from '../../condition/patterns/coarse-pattern.ts'
import { NO_VALUE } from '../../condition/typed-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { PlannedComparison, PlannedPath, Predicate } from './planned-predicate.ts'
import { FALSE, TRUE } from './predicates.ts'
import { comparedValue, readComparedValues } from './read-compared-values.ts'
import { type Caller, ofCaller, ofRequest, type RequestValues, readSource, type ValueSource } from './value-source.ts'

/** A comparison with resolved names, from which a predicate is planned. */
export interface ComparisonToPlan {
  readonly comparison: ComparisonShape
  readonly fieldPath: PlannedPath | null
  readonly other: PlannedPath | null
  /** The columns of a search over the whole record. */
  readonly searched: readonly PlannedPath[]
}

/** The display column of a table, and the rows on which it is visible. */
export interface DisplayOf {
  readonly readable: Predicate
  readonly column: Column
  readonly visible: Predicate
}

/** Journal entries: their table, the column with their text, and the rows on which each is visible. */
export interface Entries {
  readonly table: Table
  readonly column: Column
  readonly readable: Predicate
  readonly visible: Predicate
}

/** The source of a comparison's value: that of a rule never changes, that of a request differs between requests that share the plan. */
export type ComparisonSource =
  | { readonly of: 'rule'; readonly comparison: ConditionComparison }
  | {
      readonly of: 'request'
      readonly comparison: (request: RequestValues) => ConditionComparison | undefined
    }

export interface ComparisonContext {
  readonly catalog: Catalog
  readonly table: Table
  /** The display column of a table, as far as the caller may see it. Rules may see all. */
  readonly displayOf: (target: Table) => DisplayOf | null
  /** Journal entries, as far as the caller may see them. Rules may see all. */
  readonly entries: Entries | null
  readonly from: ComparisonSource
  /** Makes the error of an invalid value that is not part of a query. */
  readonly rejectValue?: (detail: string) => Result<never, Problem>
}

export function planComparison(requested: ComparisonToPlan, context: ComparisonContext): Result<Predicate, Problem> {
  const isNullWord = requested.comparison.value.kind === 'one' && requested.comparison.value.operand === 'null'
  return isNullWord && isEmptyAsNull(requested.fieldPath)
    ? planFittingComparison(...asEmptiness(requested, context))
    : planFittingComparison(requested, context)
}

/** Types without a value that is written NULL: `=NULL` tests whether the field is empty. */
const EMPTY_AS_NULL: ReadonlySet<ComparisonType> = new Set<ComparisonType>([
  'id',
  'uuid',
  'document',
  'whole',
  'decimal',
  'float',
  'datetime',
  'date',
  'time',
])

const isEmptyAsNull = (fieldPath: PlannedPath | null): boolean =>
  fieldPath !== null && (refersToOne(fieldPath.column) || EMPTY_AS_NULL.has(comparisonOf(fieldPath.column)))

/** `=NULL` as ISEMPTY, `!=NULL` as ISNOTEMPTY. */
function asEmptiness(requested: ComparisonToPlan, context: ComparisonContext): [ComparisonToPlan, ComparisonContext] {
  const operator = requested.comparison.operator === '=' ? 'ISEMPTY' : 'ISNOTEMPTY'
  const emptied = (comparison: ConditionComparison): ConditionComparison => ({
    ...comparison,
    operator,
    value: NO_VALUE,
  })
  const { from } = context
  const ofRequest = (request: RequestValues): ConditionComparison | undefined => {
    const comparison = from.of === 'rule' ? from.comparison : from.comparison(request)
    return comparison === undefined ? undefined : emptied(comparison)
  }
  return [
    { ...requested, comparison: { ...requested.comparison, operator, value: { kind: 'none' } } },
    {
      ...context,
      from:
        from.of === 'rule'
          ? { of: 'rule', comparison: emptied(from.comparison) }
          : { of: 'request', comparison: ofRequest },
    },
  ]
}

function planFittingComparison(requested: ComparisonToPlan, context: ComparisonContext): Result<Predicate, Problem> {
  const { comparison, fieldPath } = requested
  if (comparison.operator === 'ANYTHING') return succeed(TRUE)
  if (fieldPath === null) return succeed(plannedComparison(requested, 'text', context))
  const comparisonType = comparisonOf(fieldPath.column)
  if (!fits(comparison.operator, fieldPath.column)) {
    return rejectComparison(
      comparison,
      `${comparison.operator} does not fit ${comparison.path.join('.')}, a column of type ${fieldPath.column.type}; use one of ${operatorsOf(fieldPath.column).join(', ')}`,
    )
  }
  if (fieldPath.hops.some(isThroughList)) {
    return requested.other === null
      ? planMembers({ requested, fieldPath, context }, (inner) => planComparison(inner, context))
      : rejectComparison(
          comparison,
          `${comparison.operator} compares two fields of one record; ${comparison.path.join('.')} leads through a list to several`,
        )
  }
  if (comparisonType === 'journal') return planEntries(requested, fieldPath, context)
  if (comparison.operator === 'INSTANCEOF') return planInstanceOf(requested, context)
  if (requested.other !== null && comparisonOf(requested.other.column) !== comparisonType) {
    return rejectComparison(
      comparison,
      `${comparison.path.join('.')} is of type ${fieldPath.column.type} and ${pathOfOther(comparison)} of type ${requested.other.column.type}; ${comparison.operator} compares fields of the same type`,
    )
  }
  if (comparison.operator === 'EMPTYSTRING' && comparisonType !== 'text' && comparisonType !== 'choice')
    return succeed(FALSE)
  if (isId(comparisonType) && TEXT_OPERATORS.has(comparison.operator))
    return succeed(planDisplayComparison(requested, fieldPath, context))
  if (comparisonType === 'list' && TEXT_OPERATORS.has(comparison.operator))
    return planDisplayOfMembers(requested, fieldPath, context)
  return succeed(plannedComparison(requested, comparisonType, context))
}

const isThroughList = ({ column }: PlannedPath['hops'][number]): boolean => refersToMany(column)

/** Operators that are true for an empty field. Through a list, they must be true for every member. */
const NEGATIVE: ReadonlySet<string> = new Set([
  '!=',
  'NOT IN',
  'NOT LIKE',
  'NOTSTARTSWITH',
  'ISEMPTY',
  'NOTON',
  'HASNOT',
  'DOESNOTCONTAIN_DYNAMIC',
])

/** A path through a list tests its members: any of them, or with a negative operator all of them (docs/spec/records.md, section 6). */
function planMembers(
  {
    requested,
    fieldPath,
    context,
  }: { readonly requested: ComparisonToPlan; readonly fieldPath: PlannedPath; readonly context: ComparisonContext },
  planInner: (inner: ComparisonToPlan) => Result<Predicate, Problem>,
): Result<Predicate, Problem> {
  const at = fieldPath.hops.findIndex(isThroughList)
  const list = fieldPath.hops[at]
  const owner = context.catalog.tables.get(list?.column.ownerTable ?? '')
  if (list === undefined || owner === undefined) throw new Error('a path through a list was planned without one')
  const where = planInner({ ...requested, fieldPath: { ...fieldPath, hops: fieldPath.hops.slice(at + 1) } })
  if (!where.ok) return where
  return succeed({
    kind: 'related',
    quantifier: NEGATIVE.has(requested.comparison.operator) ? 'every' : 'some',
    source: 'members',
    fieldPath: { hops: fieldPath.hops.slice(0, at), table: owner, column: list.column, visible: list.visible },
    target: list.target,
    readable: list.readable,
    where: where.value,
  })
}

/** A text operator on a list of references compares the display values of its members. */
function planDisplayOfMembers(
  requested: ComparisonToPlan,
  fieldPath: PlannedPath,
  context: ComparisonContext,
): Result<Predicate, Problem> {
  const toDisplay = pathToDisplay(fieldPath, context)
  if (toDisplay === null) return succeed(NEGATIVE.has(requested.comparison.operator) ? TRUE : FALSE)
  return planMembers({ requested, fieldPath: toDisplay, context }, (inner) => {
    const isNested = inner.fieldPath?.hops.some(isThroughList) === true
    return isNested ? planComparison(inner, context) : succeed(plannedComparison(inner, 'text', context))
  })
}

/** A condition on a journal column tests its entries. */
function planEntries(
  requested: ComparisonToPlan,
  fieldPath: PlannedPath,
  { entries, ...rest }: ComparisonContext,
): Result<Predicate, Problem> {
  if (entries === null) return succeed(FALSE)
  const { table, column, readable, visible } = entries
  const isEmpty = requested.comparison.operator === 'ISEMPTY'
  const texts: PlannedPath = { hops: [], table, column, visible }
  const where = LOOKS_INTO_TEXT.has(requested.comparison.operator)
    ? plannedComparison({ ...requested, fieldPath: texts }, 'text', { entries, ...rest })
    : isEmpty
      ? FALSE
      : TRUE
  const quantifier = isEmpty ? 'every' : 'some'
  return succeed({ kind: 'related', quantifier, source: 'entries', fieldPath, target: table, readable, where })
}

const LOOKS_INTO_TEXT: ReadonlySet<string> = new Set(['LIKE'])

/** A text operator on a reference compares the display value of the referenced record (docs/spec/records.md, section 6). */
function planDisplayComparison(
  requested: ComparisonToPlan,
  fieldPath: PlannedPath,
  context: ComparisonContext,
): Predicate {
  const toDisplay = pathToDisplay(fieldPath, context)
  return plannedComparison(toDisplay === null ? requested : { ...requested, fieldPath: toDisplay }, 'text', context)
}

/** The path from a reference, or a list of references, to the display column of the target; null: the target has none. */
export function pathToDisplay(
  fieldPath: PlannedPath,
  { catalog, displayOf }: Pick<ComparisonContext, 'catalog' | 'displayOf'>,
): PlannedPath | null {
  const { column, visible } = fieldPath
  const target = column.reference === null ? undefined : catalog.tables.get(column.reference)
  const displayed = target === undefined ? null : displayOf(target)
  if (target === undefined || displayed === null) return null
  return {
    hops: [...fieldPath.hops, { column, visible, target, readable: displayed.readable }],
    table: target,
    column: displayed.column,
    visible: displayed.visible,
  }
}

function planInstanceOf(requested: ComparisonToPlan, context: ComparisonContext): Result<Predicate, Problem> {
  if (requested.fieldPath?.column.reference !== 'sys_db_table') {
    return rejectComparison(requested.comparison, 'INSTANCEOF asks for a class, so it stands after sys_db_table_id')
  }
  return succeed(plannedComparison(requested, 'id', context))
}

function plannedComparison(
  requested: ComparisonToPlan,
  comparisonType: ComparisonType,
  context: ComparisonContext,
): Predicate {
  const { comparison } = requested
  const key = requested.fieldPath?.column.key ?? null
  const { from } = context
  const readAs = (now: ConditionComparison, caller: Caller): Result<readonly unknown[], Problem> => {
    const values = asKeys(readComparedValues(now, comparisonType, caller), {
      comparisonType,
      key,
      operator: comparison.operator,
    })
    if (values.ok) return values
    return context.rejectValue?.(values.error) ?? rejectComparison(now, values.error)
  }
  // A rule with an invalid value grants nothing. An error would fail requests of readers who cannot correct the rule.
  if (from.of === 'rule' && !readAs(from.comparison, anyCaller(context.catalog)).ok) return FALSE
  const read =
    from.of === 'rule'
      ? ofCaller((caller) => readAs(from.comparison, caller))
      : ofRequest((request, caller) => readAs(comparisonIn(request, from, comparison), caller))
  const planned: PlannedComparison = {
    operator: comparison.operator,
    comparisonType,
    fieldPath: requested.fieldPath,
    other: requested.other,
    searched: requested.searched,
    read,
    value: comparedValue(comparison.value, context.catalog),
  }
  const searched = from.of === 'request' && PATTERN_OPERATORS.has(comparison.operator) ? requested.fieldPath : null
  if (searched?.column.indexed.parts === true)
    return { kind: 'comparison', comparison: { ...planned, coarse: coarseOf(read, searched) } }
  return { kind: 'comparison', comparison: planned }
}

/** The value of `coarse`. A text with a beginning is best looked up in an index of whole texts, if there is one. */
function coarseOf(pattern: ValueSource, { table, column }: PlannedPath): ValueSource {
  return ofRequest((request, caller) => {
    const values = readSource(pattern, caller, request)
    if (!values.ok) return values
    const [text] = values.value
    if (typeof text !== 'string' || (column.indexed.folded && !/^[%_]/.test(text))) return succeed([text])
    return succeed([coarsePattern(text, request.samples.of(table, column))])
  })
}

function comparisonIn(
  request: RequestValues,
  from: ComparisonSource & { readonly of: 'request' },
  { path }: ComparisonShape,
): ConditionComparison {
  const now = from.comparison(request)
  if (now === undefined) throw new Error(`no comparison ${path.join('.')} in the request that this plan was found for`)
  return now
}

/** Comparisons by order find where a list continues, not a record, so aliases of ids are not resolved. */
const ORDERS: ReadonlySet<string> = new Set(['<', '>', '<=', '>='])

interface Ids extends Pick<ComparisonShape, 'operator'> {
  readonly comparisonType: ComparisonType
  readonly key: RecordKey | null
}

/** Replaces aliases of ids by the ids of the records. */
function asKeys(values: Result<readonly unknown[], string>, { comparisonType, key, operator }: Ids): typeof values {
  if (!values.ok || key === null) return values
  if (comparisonType === 'key') return rejectWrongKeys(values, key)
  if (key.aliases === undefined || ORDERS.has(operator)) return values
  const resolve = RESOLVERS[comparisonType]
  return resolve === undefined ? values : succeed(mapTexts(values.value, (id) => resolve(id, key)))
}

const RESOLVERS: { readonly [comparisonType in ComparisonType]?: (id: string, key: RecordKey) => string } = {
  id: resolveAlias,
  list: resolveAlias,
  document: resolveDocumentId,
}

const mapTexts = (values: readonly unknown[], change: (text: string) => string): readonly unknown[] =>
  values.map((value) =>
    typeof value === 'string' && value !== '' ? change(value) : Array.isArray(value) ? mapTexts(value, change) : value,
  )

/** Rejects values that cannot be a sys_id of the table, such as a composite sys_id with the wrong number of parts. */
function rejectWrongKeys(
  values: Result<readonly unknown[], string> & { ok: true },
  key: RecordKey,
): Result<readonly unknown[], string> {
  const wrong = values.value.flat().find((value) => value !== '' && readSysId(String(value), key) === null)
  return wrong === undefined ? values : fail(`Expected ${describeKey(key)}, found "${String(wrong).slice(0, 40)}".`)
}

const pathOfOther = ({ value }: ComparisonShape): string => (value.kind === 'field' ? value.path.join('.') : '')

function rejectComparison(
  comparison: Pick<ConditionComparison, 'path' | 'position'>,
  detail: string,
): Result<never, Problem> {
  return fail({ kind: 'bad-query', detail, position: comparison.position, field: comparison.path.join('.') })
}

/** Values of a rule depend on the caller only through helpers. Whether a helper fails does not depend on the caller, so any will do. */
function anyCaller(catalog: Catalog): Caller {
  const principal = {
    userId: '0',
    userName: '',
    displayName: '',
    roles: new Set<string>(),
    roleKey: '',
    groupIds: [],
    language: 'en',
    timeZone: 'UTC',
  } as const
  return { principal, nowMs: 0, catalog }
}
