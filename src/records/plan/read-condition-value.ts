import type { Table } from '../../catalog/catalog.ts'
import { COMPARISONS, type ComparisonType, readComparedText } from '../../column-types/comparison-types.ts'
import { readSysId } from '../../column-types/record-key.ts'
import type { Operand } from '../../condition/condition-tree.ts'
import type { Moment } from '../../condition/dates/date-types.ts'
import { computeInstant, type Helper } from '../../condition/dates/read-helper.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { type Caller, ofRequest, type ValueSource } from './value-source.ts'

/** Converts an operand to a parameter of the comparison type. The error says what would be right. */
export function readConditionValue(
  operand: Operand,
  comparisonType: ComparisonType,
  caller: Caller,
): Result<unknown, string> {
  // Any text may be a key, also one that looks like a helper.
  if (operand.kind === 'literal' || comparisonType === 'key') return readComparedText(operand.text, comparisonType)
  return operand.call.ok ? computeHelper(operand.call.value, comparisonType, caller) : operand.call
}

export function momentOf(caller: Caller): Moment {
  return { nowMs: caller.nowMs, timeZone: caller.principal.timeZone }
}

function computeHelper(helper: Helper, comparisonType: ComparisonType, caller: Caller): Result<unknown, string> {
  switch (helper.kind) {
    case 'user-id':
      return comparisonType === 'id' || comparisonType === 'list'
        ? succeed(caller.principal.userId)
        : misplaced('the id of a user', comparisonType)
    case 'user-name':
      return comparisonType === 'text'
        ? succeed(caller.principal.userName)
        : misplaced('the name of a user', comparisonType)
    case 'company-id':
      return comparisonType === 'id' || comparisonType === 'list'
        ? succeed(caller.principal.companyId ?? null)
        : misplaced('the id of a company', comparisonType)
    case 'property': {
      const text = caller.catalog.properties.get(helper.name)
      return text === undefined ? fail(`There is no property ${helper.name}.`) : readComparedText(text, comparisonType)
    }
    case 'group-ids':
      return misplaced('several groups (use IN)', comparisonType)
    case 'instant': {
      const instant = computeInstant(helper, momentOf(caller))
      if (comparisonType === 'datetime') return succeed(instant.utc)
      if (comparisonType === 'date') return succeed(instant.localDate)
      return comparisonType === 'time' ? succeed(instant.localTime) : misplaced('a point in time', comparisonType)
    }
    default:
      return unreachable(helper)
  }
}

const misplaced = (what: string, comparisonType: ComparisonType): Result<never, string> =>
  fail(`This helper gives ${what}, and the column holds ${COMPARISONS[comparisonType].noun}.`)

/** The sys_id in the request's path; null if it cannot be a key of the table: the caller gets the error of a missing record. */
export function sysIdOf({ key }: Table): ValueSource {
  return ofRequest(({ sysId }) => succeed([readSysId(sysId ?? '', key)]))
}
