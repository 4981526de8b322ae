import type { ConditionTree } from '../../src/condition/condition-tree.ts'
import { parseEncodedQuery } from '../../src/condition/parse-encoded-query.ts'
import { comparisonsOf } from './arbitrary-query.ts'
import { holds, type NaiveRow, type NaiveWorld } from './naive-evaluator.ts'
import type { LabRow, LabRule } from './record-lab.ts'

/**
 * The meaning of access rules (docs/spec/records.md, section 7), as simple as possible: one row at a time, in JavaScript. Only the rules of
 * a test are evaluated. The built-in rules do not matter: they are for other roles, and at the last level.
 */
export interface NaiveRights {
  /** Whether the rules of the table allow the action on the row. */
  mayRow(action: LabRule['operation'], row: LabRow): boolean
  /** Whether the rules of the column allow the action on the row; `mayRow` must be true as well. */
  mayColumn(action: LabRule['operation'], row: LabRow, column: string): boolean
}

export function naiveRights(rules: readonly LabRule[], roles: readonly string[], world: NaiveWorld): NaiveRights {
  const passes = (rule: LabRule, row: LabRow): boolean =>
    (rule.roles === undefined || rule.roles.length === 0 || rule.roles.some((role) => roles.includes(role))) &&
    conditionHolds(rule.condition ?? '', row, world)
  const decide = (action: string, row: LabRow, levels: readonly Level[], fallback: boolean): boolean => {
    for (const [table, column] of levels) {
      const atLevel = rules.filter(
        (rule) => rule.operation === action && rule.table === table && (rule.column ?? null) === column,
      )
      if (atLevel.length > 0) return atLevel.some((rule) => passes(rule, row))
    }
    return fallback
  }
  const places = (row: LabRow): readonly string[] => [...lineOf(row.class, world), '*']
  return {
    mayRow: (action, row) =>
      decide(
        action,
        row,
        places(row).map((table): Level => [table, null]),
        false,
      ),
    mayColumn: (action, row, column) =>
      decide(
        action,
        row,
        [column, '*'].flatMap((named) => places(row).map((table): Level => [table, named])),
        true,
      ),
  }
}

type Level = readonly [table: string, column: string | null]

function lineOf(table: string, world: NaiveWorld): readonly string[] {
  const parent = world.parentOf?.[table]
  return parent === undefined ? [table] : [table, ...lineOf(parent, world)]
}

/** An invalid condition, or one with an unknown name, grants nothing. */
function conditionHolds(text: string, row: LabRow, world: NaiveWorld): boolean {
  const condition = parseEncodedQuery(text)
  if (!condition.ok) return false
  const { where } = condition.value
  if (where === null) return true
  const naive = naiveRowOf(row, world)
  return canBeEvaluated(where, naive, row.class, world) && holds(where, naive, row.class, world)
}

function canBeEvaluated(where: ConditionTree, row: NaiveRow, table: string, world: NaiveWorld): boolean {
  try {
    for (const comparison of comparisonsOf(where)) holds(comparison, row, table, world)
    return true
  } catch {
    return false
  }
}

function naiveRowOf(row: LabRow, world: NaiveWorld): NaiveRow {
  const found = world.tables[row.class]?.rows.find((each) => each['sys_id'] === row.values['sys_id'])
  if (found === undefined) throw new Error(`${row.class} ${row.values['sys_id']} is no row of this world`)
  return found
}
