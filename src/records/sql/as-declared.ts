import type { Column, Table } from '../../catalog/catalog.ts'
import { comparisonOf, refersToMany } from '../../column-types/column-types.ts'
import { CASTS, isNarrow } from '../../column-types/comparison-types.ts'
import { sql } from '../../kernel/sql.ts'
import { isReadAsStored } from './adopted-storage.ts'
import { typeOfKey } from './compare-key.ts'
import type { Expression } from './expression.ts'
import { wholeSecondsOf } from './whole-seconds.ts'

/**
 * A value for a response. Times have whole seconds. Numbers, dates and the like are written without escapes, but the owner of an adopted table
 * may have made a column a text: then PostgreSQL rejects the statement as it parses it. The comparison is always null, so the plan contains the
 * value alone.
 */
export function asDeclared(
  { table, column }: { readonly table: Table; readonly column: Column },
  value: Expression,
): Expression {
  const wholeSeconds = wholeSecondsOf({ table, column })
  if (wholeSeconds !== undefined) return wholeSeconds.of(value)
  const type = table.adopted === null ? null : unescapedType(column)
  return type === null ? value : sql`case when (${value} = null::${type}) is not true then ${value} end`
}

/** null: values are converted, or need escapes. */
function unescapedType(column: Column): Expression | null {
  const { foreignKey, key } = column
  if (!isReadAsStored(column) || foreignKey !== null || refersToMany(column)) return null
  if (key !== null) return key.kind === 'whole' || key.kind === 'uuid' ? typeOfKey(key) : null
  const comparison = comparisonOf(column)
  return isNarrow(comparison) ? CASTS[comparison] : null
}
