import { sql } from 'kysely'
import { columnTypeOf } from '../../column-types/column-types.ts'
import type { PlannedField, RecordPlan } from '../plan/record-plan.ts'
import { Param, type ValueSource } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'
import type { FromClause } from './from-clause.ts'
import { wholeSecondsOf } from './whole-seconds.ts'
import { writeRecord } from './write-field.ts'

/*
 * The version in an entity tag is a hash of what the caller may see of the record, and of nothing else: a change of a hidden column could
 * be watched through it. The Table API hashes the JSON text of the record as it is stored, which its response mostly contains. In
 * an API that displays other values no response contains that text, and its values are hashed as a row, for a quarter of the CPU.
 */

/** The hash, where the record in the response is not what it is made from; null: that text serves. */
export function writeTagged(plan: RecordPlan, from: FromClause): Expression | null {
  if (plan.names !== null) return hashOfRow(plan.tagged ?? plan.fields, from)
  const fields =
    plan.tagged ?? (plan.fields.some(({ fieldPath }) => wholeSecondsOf(fieldPath) !== undefined) ? plan.fields : null)
  return fields === null ? null : hashOfStored(fields, from)
}

/** The version as text. @param hash null: the hash of the record in the response */
export const writeTag = (hash: Expression | null, record: Expression): Expression => printHash(hash ?? hashOf(record))

/** Whether the record has one of these versions, be it from this API or from another one. */
export function writeFits(tags: ValueSource | null, plan: RecordPlan, before: FromClause): Expression {
  if (tags === null) return sql`true`
  const isAmong = (hash: Expression): Expression => sql`${printHash(hash)} = any(${new Param(tags, 0)}::text[])`
  const fields = plan.tagged ?? plan.fields
  const ofRow = isAmong(hashOfRow(fields, before))
  const ofText = isAmong(hashOfStored(fields, before))
  return plan.names === null ? sql`(${ofText} or ${ofRow})` : sql`(${ofRow} or ${ofText})`
}

const hashOf = (text: Expression): Expression => sql`hashtextextended(${text}, 0)`
const printHash = (hash: Expression): Expression => sql`lpad(to_hex(${hash}), 16, '0')`

const hashOfStored = (fields: readonly PlannedField[], from: FromClause): Expression =>
  hashOf(writeRecord({ fields, display: 'value', links: true, isExact: true }, from))

function hashOfRow(fields: readonly PlannedField[], from: FromClause): Expression {
  const values = fields
    .filter(({ fieldPath, denied }) => !denied && fieldPath.column.storage !== null)
    .map(({ fieldPath }) => {
      const value = from.valueOf(fieldPath)
      return isHashedExactly(fieldPath) ? value : sql`${value}::text`
    })
  return sql`hash_record_extended(row(${sql.join(values)}), 0)`
}

/** Types whose values are equal only if their texts are; others have no hash, or one for `1.0` and `1.00`. */
const EXACT: ReadonlySet<string> = new Set([
  'bigint',
  'integer',
  'smallint',
  'boolean',
  'text',
  'text[]',
  'date',
  'timestamp(0)',
])

const isHashedExactly = ({ table, column }: PlannedField['fieldPath']): boolean =>
  table.adopted === null && EXACT.has(columnTypeOf(column).storage.type ?? '')
