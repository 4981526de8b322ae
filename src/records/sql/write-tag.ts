import { columnTypeOf } from '../../column-types/column-types.ts'
import { sql } from '../../kernel/sql.ts'
import type { PlannedField, RecordPlan } from '../plan/record-plan.ts'
import { Param, type ValueSource } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'
import type { FromClause } from './from-clause.ts'
import { wholeSecondsOf } from './whole-seconds.ts'
import { ifVisible, writeRecord } from './write-field.ts'

/*
 * The version in an entity tag is a hash of what the caller may see of the record, and of nothing else: a change of a hidden column could
 * be watched through it. The Table API hashes the JSON text of the record as it is stored, which its response mostly contains. In
 * an API that displays other values no response contains that text, and its values are hashed as a row, for a quarter of the CPU.
 */

export interface WrittenTag {
  /** The column `tagged` of the row `r`, which has the record, too; null: it needs none. */
  readonly tagged: Expression | null
  /** The version as text, from the columns of `r`. */
  readonly tag: Expression
}

/** Writes the record once: where the response has it as it is stored, that text is hashed. */
export function writeTag(plan: RecordPlan, from: FromClause): WrittenTag {
  if (plan.names !== null) return ofHash(hashOfRow(plan.tagged ?? plan.fields, from))
  if (plan.tagged !== null) return ofHash(hashOfStored(plan.tagged, from))
  const fractions = writeFractions(plan.fields, from)
  const tag = printHash(hashOf(fractions === null ? sql`r.record` : sql`r.record || r.tagged`))
  return { tagged: fractions, tag }
}

const ofHash = (hash: Expression): WrittenTag => ({ tagged: hash, tag: printHash(sql`r.tagged`) })

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

function hashOfStored(fields: readonly PlannedField[], from: FromClause): Expression {
  const record = writeRecord({ fields, display: 'value', links: true }, from)
  const fractions = writeFractions(fields, from)
  return hashOf(fractions === null ? record : sql`${record} || ${fractions}`)
}

/**
 * The values with fractions of seconds, which no response contains: values that look the same are distinguished. Absent values are in the
 * record, so they may be left out here. null: no field has fractions.
 */
function writeFractions(fields: readonly PlannedField[], from: FromClause): Expression | null {
  const values = fields
    .filter(({ fieldPath, denied }) => !denied && wholeSecondsOf(fieldPath) !== undefined)
    .map((field) => ifVisible(field, sql`${from.valueOf(field.fieldPath)}::text`, from))
  return values.length === 0 ? null : sql`array_to_string(array[${sql.join(values)}], ',')`
}

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
