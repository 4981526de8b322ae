import { sql } from 'kysely'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Predicate } from '../plan/record-plan.ts'
import type { Expression, FromClause } from './from-clause.ts'
import { writeTest } from './write-test.ts'

/** A predicate as SQL. It may be null where it does not hold: null decides like false wherever it is put. */
export function writePredicate(predicate: Predicate, from: FromClause): Expression {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value ? sql`true` : sql`false`
    case 'all':
    case 'any': {
      const members = predicate.of.map((member) => writePredicate(member, from))
      return sql`(${sql.join(members, predicate.kind === 'all' ? sql` and ` : sql` or `)})`
    }
    case 'class':
      return sql`${from.row.storage('sys_db_table_id')} in (${sql.join(predicate.ids.map(idLiteral))})`
    case 'test':
      return writeTest(predicate.test, from)
    default:
      return unreachable(predicate)
  }
}

/** A sys_id of the dictionary as a literal, so that PostgreSQL's planner knows how many rows it stands for. */
export function idLiteral(id: string): Expression {
  if (!/^\d{1,19}$/.test(id)) throw new Error(`not a sys_id of the dictionary: ${JSON.stringify(id)}`)
  return sql.raw(id)
}
