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
import type { ConditionTest } from '../../condition/condition-tree.ts'
import { TEXT_OPERATORS } from '../../condition/operators.ts'
import { NO_VALUE } from '../../condition/typed-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { PlannedPath, PlannedTest, Predicate } from './planned-predicate.ts'
import { FALSE, TRUE } from './predicates.ts'
import { comparedValue, readTestValues } from './read-test-values.ts'
import { type Caller, ofCaller, ofRequest, type RequestValues } from './value-source.ts'

/** One test whose names are resolved, on its way to a predicate. */
export interface TestToPlan {
  readonly test: ComparisonShape
  readonly fieldPath: PlannedPath | null
  readonly other: PlannedPath | null
  /** Where a search over the whole record looks. */
  readonly searched: readonly PlannedPath[]
}

/** What stands for a record of a table, and on which rows it may be seen. */
export interface DisplayOf {
  readonly readable: Predicate
  readonly column: Column
  readonly visible: Predicate
}

/** Entries of journals: the table, the column that holds their text, and where each may be seen. */
export interface Entries {
  readonly table: Table
  readonly column: Column
  readonly readable: Predicate
  readonly visible: Predicate
}

/** Where the value of a test comes from: a rule's never differs, a request's is that of the request at hand. */
export type TestSource =
  | { readonly of: 'rule'; readonly test: ConditionTest }
  | {
      readonly of: 'request'
      readonly test: (request: RequestValues) => ConditionTest | undefined
    }

export interface TestContext {
  readonly catalog: Catalog
  readonly table: Table
  /** What stands for a record of a table, as far as whoever asks may see it. */
  readonly displayOf: (target: Table) => DisplayOf | null
  /** Entries of journals, as far as whoever asks may see them. */
  readonly entries: Entries | null
  readonly from: TestSource
  /** What is wrong with a value, where it does not stand in a query. */
  readonly rejectValue?: (detail: string) => Result<never, Problem>
}

export function planTest(requested: TestToPlan, context: TestContext): Result<Predicate, Problem> {
  const isNullWord = requested.test.value.kind === 'one' && requested.test.value.operand === 'null'
  return isNullWord && isEmptyAsNull(requested.fieldPath)
    ? planFittingTest(...asEmptiness(requested, context))
    : planFittingTest(requested, context)
}

/** Where `=NULL` asks for emptiness: no value of these is written NULL. */
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
function asEmptiness(requested: TestToPlan, context: TestContext): [TestToPlan, TestContext] {
  const operator = requested.test.operator === '=' ? 'ISEMPTY' : 'ISNOTEMPTY'
  const emptied = (test: ConditionTest): ConditionTest => ({ ...test, operator, value: NO_VALUE })
  const { from } = context
  const ofRequest = (request: RequestValues): ConditionTest | undefined => {
    const test = from.of === 'rule' ? from.test : from.test(request)
    return test === undefined ? undefined : emptied(test)
  }
  return [
    { ...requested, test: { ...requested.test, operator, value: { kind: 'none' } } },
    {
      ...context,
      from: from.of === 'rule' ? { of: 'rule', test: emptied(from.test) } : { of: 'request', test: ofRequest },
    },
  ]
}

function planFittingTest(requested: TestToPlan, context: TestContext): Result<Predicate, Problem> {
  const { test, fieldPath } = requested
  if (test.operator === 'ANYTHING') return succeed(TRUE)
  if (fieldPath === null) return succeed(plannedTest(requested, 'text', context))
  const comparisonType = comparisonOf(fieldPath.column)
  if (!fits(test.operator, fieldPath.column)) {
    return rejectTest(
      test,
      `${test.operator} does not fit ${test.path.join('.')}, a column of type ${fieldPath.column.type}; use one of ${operatorsOf(fieldPath.column).join(', ')}`,
    )
  }
  if (fieldPath.steps.some(isThroughList)) {
    return requested.other === null
      ? planMembers({ requested, fieldPath, context }, (inner) => planTest(inner, context))
      : rejectTest(
          test,
          `${test.operator} compares two fields of one record; ${test.path.join('.')} leads through a list to several`,
        )
  }
  if (comparisonType === 'journal') return planEntries(requested, fieldPath, context)
  if (test.operator === 'INSTANCEOF') return planInstanceOf(requested, context)
  if (requested.other !== null && comparisonOf(requested.other.column) !== comparisonType) {
    return rejectTest(
      test,
      `${test.path.join('.')} is of type ${fieldPath.column.type} and ${pathOfOther(test)} of type ${requested.other.column.type}; ${test.operator} compares fields of the same type`,
    )
  }
  if (test.operator === 'EMPTYSTRING' && comparisonType !== 'text' && comparisonType !== 'choice') return succeed(FALSE)
  if (isId(comparisonType) && TEXT_OPERATORS.has(test.operator))
    return succeed(planDisplayTest(requested, fieldPath, context))
  if (comparisonType === 'list' && TEXT_OPERATORS.has(test.operator))
    return planDisplayOfMembers(requested, fieldPath, context)
  return succeed(plannedTest(requested, comparisonType, context))
}

const isThroughList = ({ column }: PlannedPath['steps'][number]): boolean => refersToMany(column)

/** They hold where a field is empty, so through a list they have to hold for every member. */
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

/** A path through a list asks its members: any of them, or with a negative operator all of them (docs/spec/records.md, section 6). */
function planMembers(
  {
    requested,
    fieldPath,
    context,
  }: { readonly requested: TestToPlan; readonly fieldPath: PlannedPath; readonly context: TestContext },
  planInner: (inner: TestToPlan) => Result<Predicate, Problem>,
): Result<Predicate, Problem> {
  const at = fieldPath.steps.findIndex(isThroughList)
  const list = fieldPath.steps[at]
  const owner = context.catalog.tables.get(list?.column.ownerTable ?? '')
  if (list === undefined || owner === undefined) throw new Error('a path through a list was planned without one')
  const where = planInner({ ...requested, fieldPath: { ...fieldPath, steps: fieldPath.steps.slice(at + 1) } })
  if (!where.ok) return where
  return succeed({
    kind: 'related',
    quantifier: NEGATIVE.has(requested.test.operator) ? 'every' : 'some',
    source: 'members',
    fieldPath: { steps: fieldPath.steps.slice(0, at), table: owner, column: list.column, visible: list.visible },
    target: list.target,
    readable: list.readable,
    where: where.value,
  })
}

/** LIKE on a list of references asks the display values of its members. */
function planDisplayOfMembers(
  requested: TestToPlan,
  fieldPath: PlannedPath,
  context: TestContext,
): Result<Predicate, Problem> {
  const toDisplay = pathToDisplay(fieldPath, context)
  if (toDisplay === null) return succeed(NEGATIVE.has(requested.test.operator) ? TRUE : FALSE)
  return planMembers({ requested, fieldPath: toDisplay, context }, (inner) => {
    const isNested = inner.fieldPath?.steps.some(isThroughList) === true
    return isNested ? planTest(inner, context) : succeed(plannedTest(inner, 'text', context))
  })
}

/** Conditions on a journal column ask its entries. */
function planEntries(
  requested: TestToPlan,
  fieldPath: PlannedPath,
  { entries, ...rest }: TestContext,
): Result<Predicate, Problem> {
  if (entries === null) return succeed(FALSE)
  const { table, column, readable, visible } = entries
  const isEmpty = requested.test.operator === 'ISEMPTY'
  const texts: PlannedPath = { steps: [], table, column, visible }
  const where = LOOKS_INTO_TEXT.has(requested.test.operator)
    ? plannedTest({ ...requested, fieldPath: texts }, 'text', { entries, ...rest })
    : isEmpty
      ? FALSE
      : TRUE
  const quantifier = isEmpty ? 'every' : 'some'
  return succeed({ kind: 'related', quantifier, source: 'entries', fieldPath, target: table, readable, where })
}

const LOOKS_INTO_TEXT: ReadonlySet<string> = new Set(['LIKE'])

/** On a reference, text operators ask the display value of the record behind it (docs/spec/records.md, section 6). */
function planDisplayTest(requested: TestToPlan, fieldPath: PlannedPath, context: TestContext): Predicate {
  const toDisplay = pathToDisplay(fieldPath, context)
  return plannedTest(toDisplay === null ? requested : { ...requested, fieldPath: toDisplay }, 'text', context)
}

/** From a reference, or a list of them, to what stands for the record; null: nothing does. */
function pathToDisplay(fieldPath: PlannedPath, context: TestContext): PlannedPath | null {
  const target =
    fieldPath.column.reference === null ? undefined : context.catalog.tables.get(fieldPath.column.reference)
  const displayed = target === undefined ? null : context.displayOf(target)
  if (target === undefined || displayed === null) return null
  return {
    steps: [
      ...fieldPath.steps,
      { column: fieldPath.column, visible: fieldPath.visible, target, readable: displayed.readable },
    ],
    table: target,
    column: displayed.column,
    visible: displayed.visible,
  }
}

function planInstanceOf(requested: TestToPlan, context: TestContext): Result<Predicate, Problem> {
  if (requested.fieldPath?.column.reference !== 'sys_db_table') {
    return rejectTest(requested.test, 'INSTANCEOF asks for a class, so it stands after sys_db_table_id')
  }
  return succeed(plannedTest(requested, 'id', context))
}

function plannedTest(requested: TestToPlan, comparisonType: ComparisonType, context: TestContext): Predicate {
  const { test } = requested
  const key = requested.fieldPath?.column.key ?? null
  const { from } = context
  const readAs = (now: ConditionTest, caller: Caller): Result<readonly unknown[], Problem> => {
    const values = asKeys(readTestValues(now, comparisonType, caller), { comparisonType, key, operator: test.operator })
    if (values.ok) return values
    return context.rejectValue?.(values.error) ?? rejectTest(now, values.error)
  }
  // A rule whose value makes no sense grants nothing; whoever reads the table is not to blame for it.
  if (from.of === 'rule' && !readAs(from.test, anyCaller(context.catalog)).ok) return FALSE
  const read =
    from.of === 'rule'
      ? ofCaller((caller) => readAs(from.test, caller))
      : ofRequest((request, caller) => readAs(testIn(request, from, test), caller))
  const planned: PlannedTest = {
    operator: test.operator,
    comparisonType,
    fieldPath: requested.fieldPath,
    other: requested.other,
    searched: requested.searched,
    read,
    value: comparedValue(test.value, context.catalog),
  }
  return { kind: 'test', test: planned }
}

function testIn(
  request: RequestValues,
  from: TestSource & { readonly of: 'request' },
  { path }: ComparisonShape,
): ConditionTest {
  const now = from.test(request)
  if (now === undefined) throw new Error(`no test ${path.join('.')} in the request that this plan was found for`)
  return now
}

/** An order of ids asks where a list went on, not for a record. */
const ORDERS: ReadonlySet<string> = new Set(['<', '>', '<=', '>='])

interface Ids extends Pick<ComparisonShape, 'operator'> {
  readonly comparisonType: ComparisonType
  readonly key: RecordKey | null
}

/** Ids as the records have them that they name. */
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

/** Of a key of several parts, what has not as many is the id of no record; nobody who asks for one means that. */
function rejectWrongKeys(
  values: Result<readonly unknown[], string> & { ok: true },
  key: RecordKey,
): Result<readonly unknown[], string> {
  const wrong = values.value.flat().find((value) => value !== '' && readSysId(String(value), key) === null)
  return wrong === undefined ? values : fail(`Expected ${describeKey(key)}, found "${String(wrong).slice(0, 40)}".`)
}

const pathOfOther = ({ value }: ComparisonShape): string => (value.kind === 'field' ? value.path.join('.') : '')

function rejectTest(test: Pick<ConditionTest, 'path' | 'position'>, detail: string): Result<never, Problem> {
  return fail({ kind: 'bad-query', detail, position: test.position, field: test.path.join('.') })
}

/** Values of a rule depend on the caller only through helpers, which cannot fail; this caller is enough to try them. */
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
