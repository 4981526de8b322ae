import type { Catalog } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import type { ComparisonType } from '../../column-types/comparison-types.ts'
import { OWN_KEY, resolveAlias } from '../../column-types/record-key.ts'
import type { ValueShape } from '../../condition/comparison-shape.ts'
import type { ConditionComparison, Operand } from '../../condition/condition-tree.ts'
import { rangeOfSpan } from '../../condition/dates/range-of-on.ts'
import { type RelativeOperator, rangeOfRelative } from '../../condition/dates/range-of-relative.ts'
import { likePattern } from '../../condition/patterns/like-pattern.ts'
import { readRegex } from '../../condition/patterns/read-regex.ts'
import { readWildcards } from '../../condition/patterns/read-wildcards.ts'
import { readDynamicOption, splitMembers } from '../../condition/typed-value.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { ComparedValue } from './planned-predicate.ts'
import { momentOf, readConditionValue } from './read-condition-value.ts'
import type { Caller } from './value-source.ts'

type Values = Result<readonly unknown[], string>

/** Converts the typed value of a condition to parameters of the comparison type. The error says what would be right. */
export function readComparedValues(
  comparison: ConditionComparison,
  comparisonType: ComparisonType,
  caller: Caller,
): Values {
  const { value, operator } = comparison
  switch (value.kind) {
    case 'none':
    case 'field':
      return succeed([])
    case 'literal':
    case 'helper':
      return readOperand(value, { operator, comparisonType, caller })
    case 'list':
      return readMembers(value.members, comparisonType, caller)
    case 'members':
      if (value.members.length > 0) return readMembers(value.members, comparisonType, caller)
      return fail(`${operator} takes one or more members; ISEMPTY and ISNOTEMPTY ask whether there are any`)
    case 'range':
      return allOf([value.from, value.to].map((end) => readConditionValue(end, comparisonType, caller)))
    case 'date-span':
      return ofRange(rangeOfSpan(value.span, momentOf(caller)), comparisonType)
    case 'relative-date':
      return ofRange(
        succeed(rangeOfRelative(operator as RelativeOperator, value.date, momentOf(caller))),
        comparisonType,
      )
    case 'date-part':
      return succeed([value.comparison.number, caller.principal.timeZone])
    case 'name':
      return operator === 'INSTANCEOF' ? readClass(value.name, caller) : readDynamic(value.name, operator, caller)
    case 'words':
      return readWords(value.text)
    case 'malformed':
      return fail(value.detail)
  }
}

interface OperandUse extends Pick<ConditionComparison, 'operator'> {
  readonly comparisonType: ComparisonType
  readonly caller: Caller
}

function readOperand(operand: Operand, { operator, comparisonType, caller }: OperandUse): Values {
  switch (operator) {
    case 'MATCH_PAT':
      return readPattern(operand, caller, readWildcards)
    case 'MATCH_RGX':
      return readPattern(operand, caller, readRegex)
    case 'LIKE':
    case 'NOT LIKE':
      return readPattern(operand, caller, (text) => succeed(likePattern(text, 'inside')))
    case 'STARTSWITH':
    case 'NOTSTARTSWITH':
      return readPattern(operand, caller, (text) => succeed(likePattern(text, 'start')))
    case 'ENDSWITH':
      return readPattern(operand, caller, (text) => succeed(likePattern(text, 'end')))
    default:
      return readOne(operand, { operator, comparisonType, caller })
  }
}

function readOne(operand: Operand, { operator, comparisonType, caller }: OperandUse): Values {
  if (isGroups(operand) && takesGroups(operator, comparisonType)) return succeed([caller.principal.groupIds])
  if (comparisonType === 'list' && operand.kind === 'literal') return succeed([splitMembers(operand.text)])
  const value = readConditionValue(operand, comparisonType, caller)
  if (!value.ok) return value
  return succeed([comparisonType === 'list' ? [value.value] : value.value])
}

function readMembers(members: readonly Operand[], comparisonType: ComparisonType, caller: Caller): Values {
  const [only] = members
  const areGroups = only !== undefined && members.length === 1 && isGroups(only)
  if (areGroups && comparisonType !== 'uuid' && comparisonType !== 'key') return succeed([caller.principal.groupIds])
  const values = allOf(members.map((member) => readConditionValue(member, comparisonType, caller)))
  return values.ok ? succeed([values.value]) : values
}

/** Groups can be compared for equality; they have no order. */
const takesGroups = (operator: ConditionComparison['operator'], comparisonType: ComparisonType): boolean =>
  comparisonType === 'list' || (comparisonType === 'id' && (operator === '=' || operator === '!='))

const isGroups = (operand: Operand): boolean =>
  operand.kind === 'helper' && operand.call.ok && operand.call.value.kind === 'group-ids'

function allOf(values: readonly Result<unknown, string>[]): Values {
  const read: unknown[] = []
  for (const value of values) {
    if (!value.ok) return value
    read.push(value.value)
  }
  return succeed(read)
}

function ofRange(range: ReturnType<typeof rangeOfSpan>, comparisonType: ComparisonType): Values {
  if (!range.ok) return range
  const { from, to, fromDate, toDate } = range.value
  return succeed(comparisonType === 'date' ? [fromDate, toDate] : [from, to])
}

function readPattern(operand: Operand, caller: Caller, read: (text: string) => Result<string, string>): Values {
  const text = readConditionValue(operand, 'text', caller)
  if (!text.ok || text.value === null) return allOf([text])
  return allOf([read(String(text.value))])
}

/** UTF-16 units. Each word is searched in each record; PostgreSQL rejects a search of some thousand words. */
const MAX_SEARCH_UNITS = 1_000

function readWords(text: string): Values {
  if (text.includes('\0')) return fail('A search text has no U+0000.')
  if (text.length <= MAX_SEARCH_UNITS) return succeed([text])
  return fail(`A search text has at most ${MAX_SEARCH_UNITS} characters, found ${text.length}.`)
}

// ── names of the dictionary ──

function readClass(name: string, { catalog: { tables, tablesById } }: Caller): Values {
  const id = resolveAlias(name, tables.get('sys_db_table')?.key ?? OWN_KEY)
  const table = tables.get(name) ?? tablesById.get(id)
  if (table === undefined) return fail(`INSTANCEOF takes the name or sys_id of a table; there is no table ${name}.`)
  return succeed([classIdsOf(table, { tables })])
}

function readDynamic(name: string, operator: string, { catalog, principal }: Caller): Values {
  const kind = dynamicKind(name, catalog)
  if (kind === null)
    return fail(`${operator} takes me, mygroups or the sys_id of a dynamic option (sys_dynamic_option).`)
  return succeed([kind === 'user-id' ? principal.userId : principal.groupIds])
}

/** Ids of the dynamic options "Me" and "One of My Groups" in ServiceNow, which are the same in all instances. */
const WELL_KNOWN_OPTIONS: ReadonlyMap<string, 'user-id' | 'group-ids'> = new Map([
  ['90d1921e5f510100a9ad2572f2b477fe', 'user-id'],
  ['d6435e965f510100a9ad2572f2b477fe', 'group-ids'],
])

function dynamicKind(name: string, catalog: Catalog): 'user-id' | 'group-ids' | null {
  if (name === 'me') return 'user-id'
  if (name === 'mygroups') return 'group-ids'
  const wellKnown = WELL_KNOWN_OPTIONS.get(name.toLowerCase())
  if (wellKnown !== undefined) return wellKnown
  const { key } = catalog.tables.get('sys_dynamic_option') ?? { key: OWN_KEY }
  const option = catalog.dynamicOptions.get(resolveAlias(name, key))
  const helper = option === undefined ? undefined : readDynamicOption(option)
  if (helper?.ok !== true) return null
  return helper.value.kind === 'user-id' || helper.value.kind === 'group-ids' ? helper.value.kind : null
}

// ── properties of a value on which the statement depends ──

/** Depends only on the shape of the value and on the plan's snapshot of the dictionary. */
export function comparedValue(value: ValueShape, catalog: Catalog): ComparedValue {
  switch (value.kind) {
    case 'date-part':
      return value
    case 'dynamic':
      return { kind: dynamicKind(value.name, catalog) ?? 'plain' }
    case 'one':
    case 'list':
      if (value.operand === 'group-ids') return { kind: 'group-ids' }
      return { kind: value.isCaseless ? 'caseless' : 'plain' }
    default:
      return { kind: 'plain' }
  }
}
