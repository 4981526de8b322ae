import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import {
  describeKey,
  OWN_KEY,
  type RecordKey,
  readSysId,
  resolveAlias,
  resolveDocumentId,
} from '../../catalog/record-key.ts'
import { isCaseless } from '../../condition/caseless.ts'
import type { ConditionTest } from '../../condition/condition-tree.ts'
import { rangeOfOn } from '../../condition/dates/range-of-on.ts'
import { type RelativeOperator, rangeOfRelative } from '../../condition/dates/range-of-relative.ts'
import { readDatePart } from '../../condition/dates/read-date-part.ts'
import { holdsHelper, readHelper } from '../../condition/dates/read-helper.ts'
import { readRegex } from '../../condition/patterns/read-regex.ts'
import { readWildcards } from '../../condition/patterns/read-wildcards.ts'
import { listMembers, rangeEnds } from '../../condition/split-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { FALSE, TRUE } from './predicates.ts'
import { momentOf, readConditionValue } from './read-condition-value.ts'
import type { Binding, PlannedTest, PlannedWalk, Predicate, Reader, ValueFamily } from './record-plan.ts'
import { familyOf, fits, isId, operatorsOf } from './value-family.ts'

/** One test whose names are resolved, on its way to a predicate. */
export interface TestToPlan {
  readonly test: ConditionTest
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

export interface TestContext {
  readonly catalog: Catalog
  readonly table: Table
  /** What stands for a record of a table, as far as whoever asks may see it. */
  readonly displayOf: (target: Table) => DisplayOf | null
  /** Entries of journals, as far as whoever asks may see them. */
  readonly entries: Entries | null
  /** The test with the value of the request at hand; a rule's never differs. */
  readonly testOf: (binding: Binding) => ConditionTest | undefined
  readonly ofRule: boolean
  /** What is wrong with a value, where it does not stand in a query. */
  readonly refuseValue?: (detail: string) => Result<never, Problem>
}

export function planTest(asked: TestToPlan, context: TestContext): Result<Predicate, Problem> {
  const { test, walk } = asked
  if (test.operator === 'ANYTHING') return succeed(TRUE)
  if (walk === null) return succeed(plannedTest(asked, 'text', context))
  const family = familyOf(walk.column)
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
  if (asked.other !== null && familyOf(asked.other.column) !== family) {
    return refuseTest(
      test,
      `${test.path.join('.')} is of type ${walk.column.type} and ${test.value} of type ${asked.other.column.type}; ${test.operator} compares fields of the same type`,
    )
  }
  if (test.operator === 'EMPTYSTRING' && family !== 'text' && family !== 'choice') return succeed(FALSE)
  if (isId(family) && TEXT_OPERATORS.has(test.operator)) return succeed(planDisplayTest(asked, walk, context))
  if (family === 'list' && TEXT_OPERATORS.has(test.operator)) return planDisplayOfMembers(asked, walk, context)
  return succeed(plannedTest(asked, family, context))
}

const TEXT_OPERATORS: ReadonlySet<string> = new Set(['LIKE', 'NOT LIKE', 'STARTSWITH', 'NOTSTARTSWITH', 'ENDSWITH'])

const isThroughList = ({ column }: PlannedWalk['steps'][number]): boolean => column.type === 'list'

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

/** A path through a list asks its members: any of them, or with a negative operator all of them (record spec, section 6). */
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

/** On a reference, text operators ask the display value of the record behind it (record spec, section 6). */
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

function plannedTest(asked: TestToPlan, family: ValueFamily, context: TestContext): Predicate {
  const { test } = asked
  const valueReader = VALUE_READERS[readerKind(test)]
  const key = asked.walk?.column.key ?? null
  const read: Reader = (binding) => {
    const now = context.testOf(binding)
    if (now === undefined) throw new Error(`no test ${test.path.join('.')} in the request that this plan was found for`)
    const values = asKeys(valueReader(now, family, binding), { family, key, operator: test.operator })
    if (values.ok) return values
    return context.refuseValue?.(values.error) ?? refuseTest(now, values.error)
  }
  const planned: PlannedTest = {
    operator: test.operator,
    family,
    walk: asked.walk,
    other: asked.other,
    searched: asked.searched,
    read,
    variant: variantOf(test, context.catalog),
    caseless: isCaseless(test.value),
  }
  // A rule whose value makes no sense grants nothing; whoever reads the table is not to blame for it.
  if (context.ofRule && !read(nobody(context.catalog)).ok) return FALSE
  return { kind: 'test', test: planned }
}

/** An order of ids asks where a list went on, not for a record. */
const ORDERS: ReadonlySet<string> = new Set(['<', '>', '<=', '>='])

interface Ids extends Pick<ConditionTest, 'operator'> {
  readonly family: ValueFamily
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

const RESOLVERS: { readonly [family in ValueFamily]?: (id: string, key: RecordKey) => string } = {
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

// ── values ──

type ValueReader = (test: ConditionTest, family: ValueFamily, binding: Binding) => Result<readonly unknown[], string>
type ReaderKind =
  | 'none'
  | 'one'
  | 'many'
  | 'two'
  | 'range'
  | 'date-part'
  | 'dynamic'
  | 'class'
  | 'words'
  | 'text'
  | 'wildcards'
  | 'regex'

function readerKind(test: ConditionTest): ReaderKind {
  switch (test.operator) {
    case 'ISEMPTY':
    case 'ISNOTEMPTY':
    case 'EMPTYSTRING':
    case 'ANYTHING':
    case 'SAMEAS':
    case 'NSAMEAS':
    case 'GT_FIELD':
    case 'LT_FIELD':
    case 'GT_OR_EQUALS_FIELD':
    case 'LT_OR_EQUALS_FIELD':
      return 'none'
    case 'IN':
    case 'NOT IN':
    case 'HAS':
    case 'HASNOT':
      return 'many'
    case 'BETWEEN':
      return 'two'
    case 'ON':
    case 'NOTON':
    case 'RELATIVEGT':
    case 'RELATIVEGE':
    case 'RELATIVELT':
    case 'RELATIVELE':
    case 'RELATIVEEE':
      return 'range'
    case 'DATEPART':
      return 'date-part'
    case 'DYNAMIC':
    case 'CONTAINS_DYNAMIC':
    case 'DOESNOTCONTAIN_DYNAMIC':
      return 'dynamic'
    case 'MATCH_PAT':
      return 'wildcards'
    case 'MATCH_RGX':
      return 'regex'
    case 'INSTANCEOF':
      return 'class'
    case 'ARE':
      return 'words'
    case 'LIKE':
    case 'NOT LIKE':
    case 'STARTSWITH':
    case 'NOTSTARTSWITH':
    case 'ENDSWITH':
      return 'text'
    default:
      return 'one'
  }
}

/** UTF-16 units. Each word is looked for in each record; PostgreSQL refuses a search of some thousand words. */
const MAX_SEARCH_UNITS = 1_000

const VALUE_READERS: Record<ReaderKind, ValueReader> = {
  none: () => succeed([]),
  one: (test, family, binding) => {
    if (isGroups(test) && takesGroups(test, family)) return succeed([binding.principal.groupIds])
    if (family === 'list' && !holdsHelper(test)) return succeed([listMembers(test)])
    if (family === 'list') {
      const member = readConditionValue(test, family, binding)
      return member.ok ? succeed([[member.value]]) : member
    }
    const value = readConditionValue(test, family, binding)
    return value.ok ? succeed([value.value]) : value
  },
  many: (test, family, binding) => {
    if (isGroups(test) && family !== 'uuid' && family !== 'key') return succeed([binding.principal.groupIds])
    if (test.value === '' && family === 'list') {
      return refuse(`${test.operator} takes one or more members; ISEMPTY and ISNOTEMPTY ask whether there are any`)
    }
    const values: unknown[] = []
    for (const member of listMembers(test)) {
      const value = readConditionValue({ ...test, value: member }, family, binding)
      if (!value.ok) return value
      values.push(value.value)
    }
    return succeed([values])
  },
  two: (test, family, binding) => {
    const ends = rangeEnds(test.value)
    if (!ends.ok) return ends
    const [low, high] = ends.value
    const from = readConditionValue({ ...test, value: low }, family, binding)
    if (!from.ok) return from
    const to = readConditionValue({ ...test, value: high }, family, binding)
    return to.ok ? succeed([from.value, to.value]) : to
  },
  range: (test, family, binding) => {
    const moment = momentOf(binding)
    const range =
      test.operator === 'ON' || test.operator === 'NOTON'
        ? rangeOfOn(test.value, moment, test.literal)
        : rangeOfRelative(test.operator as RelativeOperator, test.value, moment)
    if (!range.ok) return range
    return succeed(family === 'date' ? [range.value.fromDate, range.value.toDate] : [range.value.from, range.value.to])
  },
  'date-part': (test, _family, binding) => {
    const part = readDatePart(test.value)
    return part.ok ? succeed([part.value.number, binding.principal.timeZone]) : part
  },
  dynamic: (test, _family, binding) => {
    const kind = dynamicKind(test.value, binding.catalog)
    if (kind === null) {
      return refuse(`${test.operator} takes me, mygroups or the sys_id of a dynamic option (sys_dynamic_option).`)
    }
    return succeed([kind === 'user-id' ? binding.principal.userId : binding.principal.groupIds])
  },
  class: (test, _family, binding) => {
    const { tables, tablesById } = binding.catalog
    const id = resolveAlias(test.value, tables.get('sys_db_table')?.key ?? OWN_KEY)
    const table = tables.get(test.value) ?? tablesById.get(id)
    if (table === undefined)
      return refuse(`INSTANCEOF takes the name or sys_id of a table; there is no table ${test.value}.`)
    return succeed([table.family.flatMap((name) => tables.get(name)?.id ?? [])])
  },
  words: (test) => {
    if (test.value.includes('\0')) return refuse('A search text has no U+0000.')
    return test.value.length <= MAX_SEARCH_UNITS
      ? succeed([test.value])
      : refuse(`A search text has at most ${MAX_SEARCH_UNITS} characters, found ${test.value.length}.`)
  },
  text: (test, _family, binding) => {
    const value = readConditionValue(test, 'text', binding)
    return value.ok ? succeed([value.value]) : value
  },
  wildcards: (test, _family, binding) => readPattern(test, binding, readWildcards),
  regex: (test, _family, binding) => readPattern(test, binding, readRegex),
}

/** Several groups are equal or not; they have no order. */
const takesGroups = ({ operator }: ConditionTest, family: ValueFamily): boolean =>
  family === 'list' || (family === 'id' && (operator === '=' || operator === '!='))

function readPattern(
  test: ConditionTest,
  binding: Binding,
  read: (text: string) => Result<string, string>,
): Result<readonly unknown[], string> {
  const text = readConditionValue(test, 'text', binding)
  if (!text.ok) return text
  const pattern = read(String(text.value))
  return pattern.ok ? succeed([pattern.value]) : pattern
}

function isGroups(test: ConditionTest): boolean {
  if (!holdsHelper(test)) return false
  const helper = readHelper(test.value)
  return helper.ok && helper.value.kind === 'group-ids'
}

/** What of a value decides how the SQL is written; it is part of the key that a plan is kept under. */
export function variantOf(test: ConditionTest, catalog: Catalog): string {
  if (test.operator === 'DATEPART') {
    const part = readDatePart(test.value)
    return part.ok ? `${part.value.part} ${part.value.comparison}` : ''
  }
  if (isGroups(test)) return 'group-ids'
  return readerKind(test) === 'dynamic' ? (dynamicKind(test.value, catalog) ?? '') : ''
}

function dynamicKind(value: string, catalog: Catalog): 'user-id' | 'group-ids' | null {
  if (value === 'me') return 'user-id'
  if (value === 'mygroups') return 'group-ids'
  const option = catalog.dynamicOptions.get(
    resolveAlias(value, catalog.tables.get('sys_dynamic_option')?.key ?? OWN_KEY),
  )
  if (option === undefined) return null
  const helper = readHelper(`javascript:${option}`)
  if (!helper.ok) return null
  return helper.value.kind === 'user-id' || helper.value.kind === 'group-ids' ? helper.value.kind : null
}

function refuseTest(test: ConditionTest, detail: string): Result<never, Problem> {
  return refuse({ kind: 'bad-query', detail, position: test.position, field: test.path.join('.') })
}

/** Values of a rule depend on the caller only through helpers, which cannot fail; this caller is enough to try them. */
function nobody(catalog: Catalog): Binding {
  return {
    tests: [],
    writes: new Map(),
    sysId: null,
    limit: 0,
    offset: 0,
    after: [],
    tags: [],
    having: [],
    principal: {
      userId: '0',
      userName: '',
      displayName: '',
      roles: new Set(),
      roleKey: '',
      groupIds: [],
      language: 'en',
      timeZone: 'UTC',
    },
    identityEpoch: '0',
    nowMs: 0,
    baseUrl: '',
    catalog,
  }
}
