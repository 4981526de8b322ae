import { sql } from 'kysely'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Session } from '../../database/database.ts'
import type { Problem } from '../../kernel/problem.ts'
import { conditionProblem } from './condition-problem.ts'

/**
 * What a change of the dictionary would leave without a meaning: conditions of rules and state models that could be read
 * before and cannot any more; and those that others hold, such as what a collection follows. A rule would then grant nothing, and a
 * model bind nobody, without a word to anyone.
 *
 * @returns null: nothing
 */
export async function brokenCondition(session: Session, before: Catalog, after: Catalog): Promise<Problem | null> {
  for (const held of [...conditionsOf(after), ...(await conditionsOfOthers(session))]) {
    const problem = problemIn(held, after)
    if (problem === null || problemIn(held, before) !== null) continue
    const detail = problem.kind === 'invalid-value' ? problem.detail : 'it cannot be read'
    return {
      kind: 'conflict',
      detail: `${held.what} has the condition ${held.condition.slice(0, 200)}, which would mean nothing any more (${detail}); change it first`,
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

/** Of other rooms: they put theirs into a view (migration 000018). */
function conditionsOfOthers(session: Session): Promise<readonly HeldCondition[]> {
  return session.rows(sql`select what, table_name as "table", condition from docket_system.held_condition`)
}

const problemIn = ({ condition, table }: HeldCondition, catalog: Catalog): Problem | null =>
  conditionProblem(condition, catalog.tables.get(table) ?? null, catalog)
