import type { Ground, Row } from './model.ts'
import { type Approval, finalState, type Step, type Ticket } from './ticket.ts'
import { dayMs, timestamp } from './working-time.ts'

export interface SettledTicket {
  readonly row: Row
  readonly journal: readonly Row[]
  readonly history: readonly Row[]
  readonly approvals: readonly Row[]
}

/** How a ticket stands at `ground.nowMs`, and what its journal and its history hold by then. */
export function settleTicket(ticket: Ticket, ground: Ground): SettledTicket {
  const steps = ticket.steps.filter(({ atMs }) => atMs <= ground.nowMs)
  const stateSteps = steps.filter(({ state }) => state !== undefined)
  const lastState = stateSteps.at(-1)
  const state = lastState?.state ?? '0'
  const last = steps.at(-1)
  const closing = state === finalState ? lastState : undefined
  const classId = ground.classId(ticket.table)
  return {
    row: {
      ...ticket.columns,
      ...Object.assign({}, ...steps.map(({ sets }) => sets ?? {})),
      sys_id: ticket.id,
      sys_created_at: timestamp(ticket.openedAtMs),
      sys_created_by: ticket.openedBy.id,
      sys_updated_at: timestamp(last?.atMs ?? ticket.openedAtMs),
      sys_updated_by: (last?.by ?? ticket.openedBy).id,
      sys_db_table_id: classId,
      state,
      approval_state: approvalState(ticket.approval, ground),
      attention_required: Number(state) < 7 && isOverdue(ticket.columns['sla_due'], ground),
      state_changed_at: timestamp(lastState?.atMs ?? ticket.openedAtMs),
      active: closing === undefined,
      opened_at: timestamp(ticket.openedAtMs),
      opened_by: ticket.openedBy.id,
      closed_at: closing === undefined ? null : timestamp(closing.atMs),
      closed_by: closing === undefined ? null : closing.by.id,
      assignment_group: steps.findLast(({ group }) => group !== undefined)?.group?.id ?? null,
      assigned_user: steps.findLast(({ assignee }) => assignee !== undefined)?.assignee?.id ?? null,
    },
    journal: steps.flatMap((step) => (step.said === undefined ? [] : [journalRow(ground, ticket, step, step.said)])),
    history: historyRows(ground, ticket, steps),
    approvals: ticket.approval === undefined ? [] : [approvalRow(ground, ticket, ticket.approval)],
  }
}

function isOverdue(slaDue: unknown, ground: Ground): boolean {
  return typeof slaDue === 'string' && slaDue < timestamp(ground.nowMs)
}

function approvalState(approval: Approval | undefined, ground: Ground): string {
  if (approval === undefined) return 'not_requested'
  return approval.decidedAtMs > ground.nowMs ? 'requested' : approval.decision
}

function approvalRow(ground: Ground, ticket: Ticket, approval: Approval): Row {
  const isDecided = approval.decidedAtMs <= ground.nowMs
  return {
    sys_id: ground.newSysId(approval.requestedAtMs),
    sys_created_at: timestamp(approval.requestedAtMs),
    sys_created_by: ticket.openedBy.id,
    sys_updated_at: timestamp(isDecided ? approval.decidedAtMs : approval.requestedAtMs),
    sys_updated_by: isDecided ? approval.approver.id : ticket.openedBy.id,
    sys_db_table_id: ground.classId('sys_approval'),
    task: ticket.id,
    approver: approval.approver.id,
    state: approvalState(approval, ground),
    comment: isDecided ? approval.comment : null,
    due_at: timestamp(approval.dueAtMs),
    decided_at: isDecided ? timestamp(approval.decidedAtMs) : null,
  }
}

function madeBy(ground: Ground, step: Step, table: string): Row {
  const at = timestamp(step.atMs)
  return {
    sys_id: ground.newSysId(step.atMs),
    sys_created_at: at,
    sys_created_by: step.by.id,
    sys_updated_at: at,
    sys_updated_by: step.by.id,
    sys_db_table_id: ground.classId(table),
  }
}

function journalRow(ground: Ground, ticket: Ticket, step: Step, said: NonNullable<Step['said']>): Row {
  return {
    ...madeBy(ground, step, 'sys_journal_entry'),
    table_id: ground.classId(ticket.table),
    record_id: ticket.id,
    column_name: said.column,
    value: said.text,
  }
}

/** The desk keeps the history of a month: older rows would only make the first start slower. */
const daysOfHistory = 30

/** What an audited table would have written: old and new values of the columns that a step changed. */
function historyRows(ground: Ground, ticket: Ticket, steps: readonly Step[]): readonly Row[] {
  const sinceMs = ground.nowMs - daysOfHistory * dayMs
  if (!steps.some(({ atMs }) => atMs >= sinceMs)) return []
  const values = new Map<string, string | null>([
    ['state', '0'],
    ['assignment_group', null],
    ['assigned_user', null],
  ])
  return steps.flatMap((step) => {
    const changes = new Map<string, string | null>()
    if (step.state !== undefined) changes.set('state', step.state)
    if (step.group !== undefined) changes.set('assignment_group', step.group.id)
    if (step.assignee !== undefined) changes.set('assigned_user', step.assignee?.id ?? null)
    return [...changes].flatMap(([column, value]) => {
      const old = values.get(column) ?? null
      values.set(column, value)
      if (old === value || step.atMs < sinceMs) return []
      return [
        {
          ...madeBy(ground, step, 'sys_history'),
          table_id: ground.classId(ticket.table),
          record_id: ticket.id,
          column_name: column,
          old_value: old,
          new_value: value,
        },
      ]
    })
  })
}
