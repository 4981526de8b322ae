import { type Column, isReadOnly, type Table } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { readBodyValue } from '../../column-types/read-body-value.ts'
import { typedOperand } from '../../condition/typed-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { invalid, notTaken } from './body-values.ts'
import { withNameOfUser } from './name-of-user.ts'
import { ownRunAs } from './plan-built-in-rules.ts'
import type { Assignment } from './planned-change.ts'
import { readConditionValue } from './read-condition-value.ts'
import type { PlanKind } from './record-plan.ts'
import { ofCaller, type ValueSource } from './value-source.ts'
import type { WriteContext, WriteRules } from './write-context.ts'

/** The plan of a create, with the columns that the server fills. */
export function planCreate(context: WriteContext, rules: WriteRules): Result<PlanKind, Problem> {
  const { authorized, parts } = context
  // Not the columns in the body: a read-only column that is empty there is filled as well.
  const given = new Set(parts.assignments.map((assignment) => assignment.column.name))
  for (const column of authorized.table.columns.values()) {
    if (column.storage === null || given.has(column.name)) continue
    const filled = fillIn(column, authorized.table)
    if (filled !== null) parts.assignments.push(filled)
    else if (isRequiredOnCreate(column, authorized.table)) return notTaken(column, 'it is mandatory; give it a value')
  }
  if (parts.assignments.length === 0) {
    return fail({ kind: 'invalid-value', field: '', detail: 'a new record needs a value of one column at least' })
  }
  const assignments = withNameOfUser(parts.assignments, authorized.table)
  return succeed({ kind: 'create', ...parts, assignments, ...rules })
}

/** Whether a create without a value of the column is rejected. */
export function isRequiredOnCreate(column: Column, table: Table): boolean {
  return column.mandatory && !isReadOnly(column) && column.storage !== null && fillIn(column, table) === null
}

function fillIn(column: Column, table: Table): Assignment | null {
  const comparisonType = comparisonOf(column)
  const assign = (value: ValueSource): Assignment => ({ column, comparisonType, change: { kind: 'value', value } })
  switch (column.name) {
    case 'sys_created_by':
    case 'sys_updated_by':
      return assign(ofCaller(({ principal }) => succeed([principal.userId])))
    case 'sys_db_table_id':
      return assign(ofCaller(() => succeed([table.id])))
    case 'number': {
      const { numbering } = table
      return numbering === null ? null : { column, comparisonType, change: { kind: 'number', numbering } }
    }
    case 'run_as':
      return table.name === 'sys_webhook' ? assign(ownRunAs) : assignDefault(column, assign)
    default:
      return assignDefault(column, assign)
  }
}

function assignDefault(column: Column, assign: (value: ValueSource) => Assignment): Assignment | null {
  return column.defaultValue === null || column.defaultValue === '' ? null : assign(defaultOf(column))
}

/** The dictionary's default: a value, which is read once, or a helper that is computed for the caller at the time of the request. */
function defaultOf(column: Column): ValueSource {
  const text = column.defaultValue ?? ''
  const operand = typedOperand(text)
  if (operand.kind === 'helper')
    return ofCaller((caller) => valuesOf(readConditionValue(operand, comparisonOf(column), caller), column))
  const values = valuesOf(readBodyValue(text, column), column)
  return ofCaller(() => values)
}

function valuesOf(value: Result<unknown, string>, column: Column): Result<readonly unknown[], Problem> {
  if (!value.ok) return invalid(column, `its default in the dictionary does not fit: ${value.error}`)
  return succeed([value.value])
}
