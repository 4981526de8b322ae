import { type Sql, sql } from '../kernel/sql.ts'

/**
 * Minutes in a property of sys_property, in each form that a write of the property takes: spaces around the number and zeros before it count
 * for nothing. `byDefault` if the property has no such number.
 */
export const minutesProperty = (name: string, byDefault: number): Sql<unknown> => sql`
  coalesce((select substring(value from '^[[:space:]]*0*([1-9][0-9]{0,6})[[:space:]]*$')::integer
            from docket.sys_property where name = ${name}), ${byDefault}::integer)`
