import { sql } from '../../kernel/sql.ts'
import type { PlannedRecordRights, PlannedStates } from '../plan/record-plan.ts'
import type { Expression } from './expression.ts'
import { embed, type FromClause } from './from-clause.ts'
import { writeAllowedStates } from './write-state.ts'

/** JSON text of what the caller may do with the record of the row: `{"write":[…],"delete":…,"states":[…]}`. */
export function writeRecordRights(rights: PlannedRecordRights, from: FromClause): Expression {
  const holds = (predicate: PlannedRecordRights['write']): Expression => embed(predicate, from.row, from.aliases)
  const allowed = rights.columns.filter(isAlwaysAllowed)
  const others = rights.columns.filter((column) => !isAlwaysAllowed(column))
  const names = [
    sql`${sql.lit(textArray(allowed.map(({ name }) => name)))}::text[]`,
    ...others.map(
      ({ name, when }) => sql`case when ${holds(when)} then ${sql.lit(textArray([name]))}::text[] else '{}' end`,
    ),
  ]
  return sql`json_build_object('write', case when ${holds(rights.write)} then to_json(${sql.join(names, sql` || `)}) else '[]'::json end,
    'delete', coalesce(${holds(rights.delete)}, false), 'states', ${writeStates(rights.states, from)})::text`
}

const isAlwaysAllowed = ({ when }: PlannedRecordRights['columns'][number]): boolean =>
  when.kind === 'constant' && when.value

/** Names of columns need no escaping. */
const textArray = (names: readonly string[]): string => `{${names.map((name) => `"${name}"`).join(',')}}`

/** JSON null: every choice of the column is allowed, because no state model applies. */
function writeStates(states: PlannedStates | null, from: FromClause): Expression {
  if (states === null) return sql`null::json`
  const allowed = writeAllowedStates(states, from.row, from.aliases)
  return sql`case when ${embed(states.when, from.row, from.aliases)} then to_json(${allowed}) else '[]'::json end`
}
