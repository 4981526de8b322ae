import type { Table } from '../../catalog/catalog.ts'
import { COMPARISONS, type ComparisonType, readComparedText } from '../../column-types/comparison-types.ts'
import { readSysId } from '../../column-types/record-key.ts'
import type { Operand } from '../../condition/condition-tree.ts'
import type { Moment } from '../../condition/dates/date-values.ts'
import { computeInstant, type Helper } from '../../condition/dates/read-helper.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { type Caller, ofRequest, type ValueSource } from './value-source.ts'

/** An operand as PostgreSQL takes it for the family; the error says what would be right. */
export function readConditionValue(operand: Operand, family: ComparisonType, caller: Caller): Result<unknown, string> {
  // A key may be any text.
  if (operand.kind === 'literal' || family === 'key') return readComparedText(operand.text, family)
  return operand.call.ok ? computeHelper(operand.call.value, family, caller) : operand.call
}

export function momentOf(caller: Caller): Moment {
  return { nowMs: caller.nowMs, timeZone: caller.principal.timeZone }
}

function computeHelper(helper: Helper, family: ComparisonType, caller: Caller): Result<unknown, string> {
  switch (helper.kind) {
    case 'user-id':
      return family === 'id' || family === 'list'
        ? succeed(caller.principal.userId)
        : misplaced('the id of a user', family)
    case 'user-name':
      return family === 'text' ? succeed(caller.principal.userName) : misplaced('the name of a user', family)
    case 'company-id':
      return family === 'id' || family === 'list'
        ? succeed(caller.principal.companyId ?? null)
        : misplaced('the id of a company', family)
    case 'property': {
      const text = caller.catalog.properties.get(helper.name)
      return text === undefined ? refuse(`There is no property ${helper.name}.`) : readComparedText(text, family)
    }
    case 'group-ids':
      return misplaced('several groups (use IN)', family)
    case 'instant': {
      const instant = computeInstant(helper, momentOf(caller))
      if (family === 'datetime') return succeed(instant.utc)
      if (family === 'date') return succeed(instant.localDate)
      return family === 'time' ? succeed(instant.localTime) : misplaced('a point in time', family)
    }
    default:
      return unreachable(helper)
  }
}

const misplaced = (what: string, family: ComparisonType): Result<never, string> =>
  refuse(`This helper gives ${what}, and the column holds ${COMPARISONS[family].noun}.`)

/** The sys_id of the path. One that is none of the table's kind is the id of no record, which is what the caller is told. */
export function sysIdOf({ key }: Table): ValueSource {
  return ofRequest(({ sysId }) => succeed([readSysId(sysId ?? '', key)]))
}
