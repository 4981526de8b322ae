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
import { NO_VALUE } from '../../condition/typed-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { PlannedTest, PlannedWalk, Predicate } from './planned-predicate.ts'
import { FALSE, TRUE } from './predicates.ts'
import { comparedValue, readTestValues } from './read-test-values.ts'
import { type Caller, ofCaller, ofRequest, type RequestValues } from './value-source.ts'

/** One test whose names are resolved, on its way to a predicate. */
export interface TestToPlan {
  readonly test: ComparisonShape
  readonly walk: PlannedWalk | null
  readonly other: PlannedWalk | null
  /** Where a search over the whole record looks. */
  readonly searched: readonly PlannedWalk[]
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
  readonly refuseValue?: (detail: string) => Result<never, Problem>
}

export function planTest(requested: TestToPlan, context: TestContext): Result<Predicate, Problem> {
  const isNullWord = requested.test.value.kind === 'one' && requested.test.value.operand === 'null'
  return isNullWord && isEmptyAsNull(requested.walk)
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

const isEmptyAsNull = (walk: PlannedWalk | null): boolean =>
  walk !== null && (refersToOne(walk.column) || EMPTY_AS_NULL.has(comparisonOf(walk.column)))

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

function planFittingTest(asked: TestToPlan, context: TestContext): Result<Predicate, Problem> {
  const { test, walk } = asked
  if (test.operator === 'ANYTHING') return succeed(TRUE)
  if (walk === null) return succeed(plannedTest(asked, 'text', context))
  const family = comparisonOf(walk.column)
  if (!fits(test.operator, walk.column)) {
    return refuseTest(
      test,
      `${test.operator} does not fit ${test.path.join('.')}, a column of type ${walk.column.type}; use one of ${operatorsOf(walk.column).join(', ')}`,
    )
  }
  if (walk.steps.some(isThroughList)) {
    return asked.other === null
      ? planMembers({ asked, walk, context }, (inner) => planTest(inner, context))
      : refuseTest(
          test,
          `${test.operator} compares two fields of one record; ${test.path.join('.')} leads through a list to several`,
        )
  }
  if (family === 'journal') return planEntries(asked, walk, context)
  if (test.operator === 'INSTANCEOF') return planInstanceOf(asked, context)
  if (asked.other !== null && comparisonOf(asked.other.column) !== family) {
    return refuseTest(
      test,
      `${test.path.join('.')} is of type ${walk.column.type} and ${pathOfOther(test)} of type ${asked.other.column.type}; ${test.operator} compares fields of the same type`,
    )
  }
  if (test.operator === 'EMPTYSTRING' && family !== 'text' && family !== 'choice') return succeed(FALSE)
  if (isId(family) && TEXT_OPERATORS.has(test.operator)) return succeed(planDisplayTest(asked, walk, context))
  if (family === 'list' && TEXT_OPERATORS.has(test.operator)) return planDisplayOfMembers(asked, walk, context)
  return succeed(plannedTest(asked, family, context))
}

const TEXT_OPERATORS: ReadonlySet<string> = new Set(['LIKE', 'NOT LIKE', 'STARTSWITH', 'NOTSTARTSWITH', 'ENDSWITH'])

const isThroughList = ({ column }: PlannedWalk['steps'][number]): boolean => refersToMany(column)

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
  { asked, walk, context }: { readonly asked: TestToPlan; readonly walk: PlannedWalk; readonly context: TestContext },
  planInner: (inner: TestToPlan) => Result<Predicate, Problem>,
): Result<Predicate, Problem> {
  const at = walk.steps.findIndex(isThroughList)
  const list = walk.steps[at]
  const owner = context.catalog.tables.get(list?.column.ownerTable ?? '')
  if (list === undefined || owner === undefined) throw new Error('a path through a list was planned without one')
  const where = planInner({ ...asked, walk: { ...walk, steps: walk.steps.slice(at + 1) } })
  if (!where.ok) return where
  return succeed({
    kind: 'related',
    quantifier: NEGATIVE.has(asked.test.operator) ? 'every' : 'some',
    source: 'members',
    walk: { steps: walk.steps.slice(0, at), table: owner, column: list.column, visible: list.visible },
    target: list.target,
    readable: list.readable,
    where: where.value,
  })
}

/** LIKE on a list of references asks the display values of its members. */
function planDisplayOfMembers(asked: TestToPlan, walk: PlannedWalk, context: TestContext): Result<Predicate, Problem> {
  const toDisplay = walkToDisplay(walk, context)
  if (toDisplay === null) return succeed(NEGATIVE.has(asked.test.operator) ? TRUE : FALSE)
  return planMembers({ asked, walk: toDisplay, context }, (inner) => {
    const isNested = inner.walk?.steps.some(isThroughList) === true
    return isNested ? planTest(inner, context) : succeed(plannedTest(inner, 'text', context))
  })
}

/** Conditions on a journal column ask its entries. */
function planEntries(
  asked: TestToPlan,
  walk: PlannedWalk,
  { entries, ...rest }: TestContext,
): Result<Predicate, Problem> {
  if (entries === null) return succeed(FALSE)
  const { table, column, readable, visible } = entries
  const isEmpty = asked.test.operator === 'ISEMPTY'
  const texts: PlannedWalk = { steps: [], table, column, visible }
  const where = LOOKS_INTO_TEXT.has(asked.test.operator)
    ? plannedTest({ ...asked, walk: texts }, 'text', { entries, ...rest })
    : isEmpty
      ? FALSE
      : TRUE
  const quantifier = isEmpty ? 'every' : 'some'
  return succeed({ kind: 'related', quantifier, source: 'entries', walk, target: table, readable, where })
}

const LOOKS_INTO_TEXT: ReadonlySet<string> = new Set(['LIKE'])

/** On a reference, text operators ask the display value of the record behind it (docs/spec/records.md, section 6). */
function planDisplayTest(asked: TestToPlan, walk: PlannedWalk, context: TestContext): Predicate {
  const toDisplay = walkToDisplay(walk, context)
  return plannedTest(toDisplay === null ? asked : { ...asked, walk: toDisplay }, 'text', context)
}

/** From a reference, or a list of them, to what stands for the record; null: nothing does. */
function walkToDisplay(walk: PlannedWalk, context: TestContext): PlannedWalk | null {
  const target = walk.column.reference === null ? undefined : context.catalog.tables.get(walk.column.reference)
  const shown = target === undefined ? null : context.displayOf(target)
  if (target === undefined || shown === null) return null
  return {
    steps: [...walk.steps, { column: walk.column, visible: walk.visible, target, readable: shown.readable }],
    table: target,
    column: shown.column,
    visible: shown.visible,
  }
}

function planInstanceOf(asked: TestToPlan, context: TestContext): Result<Predicate, Problem> {
  if (asked.walk?.column.reference !== 'sys_db_table') {
    return refuseTest(asked.test, 'INSTANCEOF asks for a class, so it stands after sys_db_table_id')
  }
  return succeed(plannedTest(asked, 'id', context))
}

function plannedTest(asked: TestToPlan, family: ComparisonType, context: TestContext): Predicate {
  const { test } = asked
  const key = asked.walk?.column.key ?? null
  const { from } = context
  const readAs = (now: ConditionTest, caller: Caller): Result<readonly unknown[], Problem> => {
    const values = asKeys(readTestValues(now, family, caller), { family, key, operator: test.operator })
    if (values.ok) return values
    return context.refuseValue?.(values.error) ?? refuseTest(now, values.error)
  }
  // A rule whose value makes no sense grants nothing; whoever reads the table is not to blame for it.
  if (from.of === 'rule' && !readAs(from.test, anyCaller(context.catalog)).ok) return FALSE
  const read =
    from.of === 'rule'
      ? ofCaller((caller) => readAs(from.test, caller))
      : ofRequest((request, caller) => readAs(testIn(request, from, test), caller))
  const planned: PlannedTest = {
    operator: test.operator,
    family,
    walk: asked.walk,
    other: asked.other,
    searched: asked.searched,
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
  readonly family: ComparisonType
  readonly key: RecordKey | null
}

/** Ids as the records have them that they name. */
function asKeys(values: Result<readonly unknown[], string>, { family, key, operator }: Ids): typeof values {
  if (!values.ok || key === null) return values
  if (family === 'key') return refuseWrongKeys(values, key)
  if (key.aliases === undefined || ORDERS.has(operator)) return values
  const resolve = RESOLVERS[family]
  return resolve === undefined ? values : succeed(mapTexts(values.value, (id) => resolve(id, key)))
}

const RESOLVERS: { readonly [family in ComparisonType]?: (id: string, key: RecordKey) => string } = {
  id: resolveAlias,
  list: resolveAlias,
  document: resolveDocumentId,
}

const mapTexts = (values: readonly unknown[], change: (text: string) => string): readonly unknown[] =>
  values.map((value) =>
    typeof value === 'string' && value !== '' ? change(value) : Array.isArray(value) ? mapTexts(value, change) : value,
  )

/** Of a key of several parts, what has not as many is the id of no record; nobody who asks for one means that. */
function refuseWrongKeys(
  values: Result<readonly unknown[], string> & { ok: true },
  key: RecordKey,
): Result<readonly unknown[], string> {
  const wrong = values.value.flat().find((value) => value !== '' && readSysId(String(value), key) === null)
  return wrong === undefined ? values : refuse(`Expected ${describeKey(key)}, found "${String(wrong).slice(0, 40)}".`)
}

const pathOfOther = ({ value }: ComparisonShape): string => (value.kind === 'field' ? value.path.join('.') : '')

function refuseTest(test: Pick<ConditionTest, 'path' | 'position'>, detail: string): Result<never, Problem> {
  return refuse({ kind: 'bad-query', detail, position: test.position, field: test.path.join('.') })
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
