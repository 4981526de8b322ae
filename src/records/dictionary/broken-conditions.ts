import type { Catalog } from '../../catalog/catalog.ts'
import type { Session } from '../../database/database.ts'
import type { Problem } from '../../kernel/problem.ts'
import { sql } from '../../kernel/sql.ts'
import { conditionProblem } from './condition-problem.ts'

/**
 * Finds a stored condition that is valid before a change of the dictionary and invalid after it: of an access rule, of a state model, or
 * of another module (such as a collection that follows a table). With an invalid condition, a rule would silently grant nothing, and a
 * state model restrict nothing.
 *
 * @returns null: there is none
 */
export async function brokenCondition(session: Session, before: Catalog, after: Catalog): Promise<Problem | null> {
  for (const held of [...conditionsOf(after), ...(await conditionsOfOthers(session))]) {
    const problem = problemIn(held, after)
    if (problem === null || problemIn(held, before) !== null) continue
    const detail = problem.kind === 'invalid-value' ? problem.detail : 'it cannot be read'
    return {
      kind: 'conflict',
      detail: `${held.what} has the condition ${held.condition.slice(0, 200)}, which would no longer be valid (${detail}); change it first`,
    }
  }
  return null
}

interface HeldCondition {
  readonly what: string
  readonly table: string
  readonly condition: string
}

function conditionsOf(catalog: Catalog): readonly HeldCondition[] {
  return [
    ...catalog.rules.map(({ id, table, condition }) => ({
      what: `The access rule ${id} of ${table}`,
      table,
      condition,
    })),
    ...[...catalog.stateModels.values()]
      .flat()
      .map(({ table, condition }) => ({ what: `A state model of ${table}`, table, condition })),
  ].filter(({ condition }) => condition !== '')
}

/** Conditions of other modules, from a view (migration 000018). */
function conditionsOfOthers(session: Session): Promise<readonly HeldCondition[]> {
  return session.rows(sql`select what, table_name as "table", condition from docket_system.held_condition`)
}

const problemIn = ({ condition, table }: HeldCondition, catalog: Catalog): Problem | null =>
  conditionProblem(condition, catalog.tables.get(table) ?? null, catalog)
