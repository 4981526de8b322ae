import type { ColumnTypeName } from '../column-types/column-types.ts'
import { sql } from '../kernel/sql.ts'

/**
 * The type of a column's values; `y` is its row of sys_db_column_type. A record class is a reference whose value is returned as an id: it
 * is stored, compared and followed like every reference.
 */
export const VALUE_TYPE = sql<ColumnTypeName>`case y.name when 'record_class' then 'reference' else y.name end`
export const IS_RECORD_CLASS = sql<boolean>`y.name = 'record_class'`
