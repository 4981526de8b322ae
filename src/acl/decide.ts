import type { AccessRule, Catalog, Table } from '../catalog/catalog.ts'
import type { ConditionTree } from '../condition/condition-tree.ts'
import { parseEncodedQuery } from '../condition/parse-encoded-query.ts'
import type { Action } from '../kernel/problem.ts'

/**
 * What the rules of one level grant to one set of roles, before any row is read.
 * `when`: on the rows that satisfy any of the conditions. A condition reads the whole record, whatever the caller may read.
 */
export type Grant =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | { readonly kind: 'when'; readonly anyOf: readonly RuleCondition[] }

export interface RuleCondition {
  readonly ruleId: string
  readonly where: ConditionTree
}

/** A grant and the rules that led to it, for `explain`. */
export interface Decision {
  readonly grant: Grant
  /** The level that decided, `task` or `task.state` or `*.*`; null when no level has a rule. */
  readonly level: string | null
  readonly rules: readonly RuleDecision[]
}

export interface RuleDecision {
  readonly rule: AccessRule
  readonly verdict: 'passes' | 'passes-on-condition' | 'role-missing' | 'condition-unusable'
}

/** Decisions for one set of roles under one snapshot of the dictionary; caches its results. */
export interface Access {
  /** Rules of the table (docs/spec/records.md, section 7: own table, parents upward, `*`; the first level with a rule decides). */
  decideTable(table: Table, action: Action): Decision
  /**
   * Rules of the column: table.column, parent.column, `*`.column, table.`*`, parent.`*`, `*`.`*`; if none exists, the decision
   * for the table.
   */
  decideColumn(table: Table, column: string, action: Action): Decision
}

export const ALWAYS: Grant = { kind: 'always' }
export const NEVER: Grant = { kind: 'never' }

export function accessOf(catalog: Catalog, roles: ReadonlySet<string>): Access {
  const rulesByLevel = Map.groupBy(catalog.rules, (rule) => levelKey(rule.operation, rule.table, rule.column))
  const decided = new Map<string, Decision>()

  const decide = (action: Action, levels: readonly Level[], byDefault: Grant): Decision => {
    for (const [table, column] of levels) {
      const rules = rulesByLevel.get(levelKey(action, table, column))
      if (rules !== undefined) return decideLevel(rules, roles, column === null ? table : `${table}.${column}`)
    }
    return { grant: byDefault, level: null, rules: [] }
  }
  const remember = (key: string, make: () => Decision): Decision => {
    const known = decided.get(key)
    if (known !== undefined) return known
    const decision = make()
    decided.set(key, decision)
    return decision
  }
  const places = (table: Table): readonly string[] => [...table.ancestors, '*']

  return {
    decideTable: (table, action) =>
      remember(levelKey(action, table.name, null), () =>
        decide(
          action,
          places(table).map((name): Level => [name, null]),
          NEVER,
        ),
      ),
    decideColumn: (table, column, action) =>
      remember(levelKey(action, table.name, column), () =>
        decide(
          action,
          [column, '*'].flatMap((named) => places(table).map((name): Level => [name, named])),
          ALWAYS,
        ),
      ),
  }
}

type Level = readonly [table: string, column: string | null]

const levelKey = (action: Action, table: string, column: string | null): string => `${action} ${table} ${column ?? ''}`

function decideLevel(rules: readonly AccessRule[], roles: ReadonlySet<string>, level: string): Decision {
  const decided = rules.map((rule) => decideRule(rule, roles))
  const conditions = decided.flatMap(({ rule, where }) => (where === null ? [] : [{ ruleId: rule.id, where }]))
  const always = decided.some((each) => each.verdict === 'passes')
  const grant: Grant = always ? ALWAYS : conditions.length === 0 ? NEVER : { kind: 'when', anyOf: conditions }
  return { grant, level, rules: decided.map(({ rule, verdict }) => ({ rule, verdict })) }
}

function decideRule(
  rule: AccessRule,
  roles: ReadonlySet<string>,
): RuleDecision & { readonly where: ConditionTree | null } {
  if (rule.adminOverrides && roles.has('admin')) return { rule, verdict: 'passes', where: null }
  if (rule.roles.length > 0 && !rule.roles.some((role) => roles.has(role))) {
    return { rule, verdict: 'role-missing', where: null }
  }
  const condition = parseEncodedQuery(rule.condition)
  // A condition that can no longer be parsed must not allow what it was meant to deny.
  if (!condition.ok) return { rule, verdict: 'condition-unusable', where: null }
  return condition.value.where === null
    ? { rule, verdict: 'passes', where: null }
    : { rule, verdict: 'passes-on-condition', where: condition.value.where }
}
