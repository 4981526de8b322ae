import type { Catalog, Table } from '../../catalog/catalog.ts'
import { isHierarchyColumn } from '../../catalog/hierarchy-column.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { narrowedKeyProblem } from '../../identity/narrowed-key.ts'
import { fail, succeed } from '../../kernel/result.ts'
import type { Assignment, BuiltInRule } from './planned-change.ts'
import { ofCaller } from './value-source.ts'

/** The parts of a write on which built-in rules depend. */
export interface RuledWrite {
  readonly table: Table
  /** Names of the caller's roles. */
  readonly roles: ReadonlySet<string>
  /** Names of the columns in the body. */
  readonly named: ReadonlySet<string>
  readonly isCreate: boolean
}

/** The rules that apply in addition to the access rules of an installation. */
export function planBuiltInRules(write: RuledWrite): readonly BuiltInRule[] {
  switch (systemTable(write.table.name).builtInRule) {
    case 'webhook':
      return planWebhookRule(write)
    case 'approval':
      return [planApprovalRule(write)]
    default:
      return planApprovalState(write)
  }
}

/** The built-in rules on the row to delete. */
export function planRulesOfDelete({ table, roles }: Pick<RuledWrite, 'table' | 'roles'>): readonly BuiltInRule[] {
  return systemTable(table.name).builtInRule === 'approval'
    ? [{ kind: 'approval', isAdmin: roles.has('admin'), named: [] }]
    : []
}

// ── hierarchies ──

/** A new record has no children, so a create cannot form a cycle. */
export function planHierarchies({ table, named, isCreate }: RuledWrite, catalog: Catalog): readonly BuiltInRule[] {
  if (isCreate) return []
  const columns = [...table.columns.values()].filter((column) => named.has(column.name))
  return columns
    .filter((column) => isHierarchyColumn(column, table, catalog))
    .map((column) => ({ kind: 'hierarchy', column }))
}

// ── approvals ──

/** The columns of a decision. */
const DECISION: readonly string[] = ['state', 'task', 'approver', 'comment', 'decided_at']

function planApprovalRule({ roles, named }: RuledWrite): BuiltInRule {
  return { kind: 'approval', isAdmin: roles.has('admin'), named: DECISION.filter((column) => named.has(column)) }
}

function planApprovalState({ table, named }: RuledWrite): readonly BuiltInRule[] {
  const column = table.columns.get('approval_state')
  if (column?.ownerTable !== 'task' || !named.has(column.name)) return []
  return [{ kind: 'approval-state', column }]
}

// ── webhooks ──

/** The columns that determine what the address of the webhook receives. */
const DECIDING: readonly string[] = ['run_as', 'tables', 'operations', 'active']

/** A webhook runs with the rights of `run_as`. Only this user, or a security administrator, may change these columns. */
function planWebhookRule({ roles, named, isCreate }: RuledWrite): readonly BuiltInRule[] {
  if (roles.has('security_admin')) return []
  const deciding = DECIDING.filter((column) => named.has(column) && !(isCreate && column !== 'run_as'))
  return deciding.length === 0 ? [] : [{ kind: 'webhook', named: deciding }]
}

/** A caller who changes the address of a webhook takes it over: from then on it runs with their rights. */
export function takeOver(assignments: Assignment[], { table, roles }: RuledWrite): void {
  const url = assignments.find(({ column }) => column.name === 'url')
  const column = table.columns.get('run_as')
  if (systemTable(table.name).builtInRule !== 'webhook' || url === undefined || column === undefined) return
  const at = assignments.findIndex((assignment) => assignment.column.name === 'run_as')
  const given = assignments[at] ?? null
  // A security administrator may choose with whose rights it runs.
  if (given !== null && roles.has('security_admin')) return
  const stamp: Assignment = {
    column,
    comparisonType: comparisonOf(column),
    change: { kind: 'run-as', url, given, by: ownRunAs },
  }
  if (at >= 0) assignments.splice(at, 1)
  assignments.push(stamp)
}

/** The caller. A narrowed key is rejected: the webhook would have all roles of the user, and outlive the key. */
export const ownRunAs = ofCaller(({ principal }) => {
  const problem = narrowedKeyProblem(principal, 'set the address of a webhook')
  return problem === undefined ? succeed([principal.userId]) : fail(problem)
})
