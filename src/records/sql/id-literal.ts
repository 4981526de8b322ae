import { sql } from '../../kernel/sql.ts'
import type { Expression } from './expression.ts'

/** A sys_id of the dictionary as a literal, so that PostgreSQL's planner can estimate how many rows have it. */
export function idLiteral(id: string): Expression {
  if (!/^\d{1,19}$/.test(id)) throw new Error(`not a sys_id of the dictionary: ${JSON.stringify(id)}`)
  return sql.raw(id)
}
