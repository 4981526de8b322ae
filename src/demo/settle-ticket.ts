import { type LoggedChange, logged } from './change-log.ts'
import type { Ground, Person, Row } from './model.ts'
import { type Approval, finalState, type Step, type Ticket } from './ticket.ts'
import type { FileOfTicket } from './ticket-files.ts'
import { timestamp } from './working-time.ts'

export interface SettledTicket {
  readonly row: Row
  readonly journal: readonly Row[]
  readonly changes: readonly LoggedChange[]
  readonly approvals: readonly Row[]
}

/** Something that was written, as one request of the API would write it. */
interface Event {
  readonly atMs: number
  readonly by: Person
  readonly sets: Row
  readonly said?: Step['said']
}

/**
 * How a ticket stands at `ground.nowMs`, and what its journal and the log of changes hold by then. The row is what its
 * changes make, one after the other, so that history and record cannot differ.
 *
 * @param monitoring who marks a ticket when its time is up
 */
export function settleTicket(
  ticket: Ticket,
  { ground, monitoring, files }: { ground: Ground; monitoring: Person; files: readonly FileOfTicket[] },
): SettledTicket {
  const events = eventsOf(ticket, monitoring, files).filter(({ atMs }) => atMs <= ground.nowMs)
  const afterOpening = events.findIndex((event) => !belongsToOpening(event, ticket))
  const opening = events.slice(0, afterOpening === -1 ? events.length : afterOpening)
  const classId = ground.classId(ticket.table)
  const about = { table_id: classId, record_id: ticket.id, audited: true }

  const values = new Map<string, unknown>(Object.entries(openedAs(ticket, opening)))
  const changes = [
    logged({ ...about, operation: 'c', atMs: ticket.openedAtMs, by: ticket.openedBy.id, changes: filled(values) }),
  ]
  for (const event of events.slice(opening.length)) {
    const differing = apply(event, values)
    if (Object.keys(differing).length > 0)
      changes.push(logged({ ...about, operation: 'u', atMs: event.atMs, by: event.by.id, changes: differing }))
  }
  const last = changes.at(-1)
  return {
    row: {
      ...Object.fromEntries(values),
      sys_id: ticket.id,
      sys_created_at: timestamp(ticket.openedAtMs),
      sys_created_by: ticket.openedBy.id,
      sys_updated_at: last?.changed_at,
      sys_updated_by: last?.changed_by,
      sys_db_table_id: classId,
    },
    journal: events.flatMap((event) =>
      event.said === undefined ? [] : [journalRow(ground, ticket, event, event.said)],
    ),
    ...withApproval(changes, ticket, ground),
  }
}

// ── what happened, in order ──

function eventsOf(ticket: Ticket, monitoring: Person, files: readonly FileOfTicket[]): readonly Event[] {
  const steps = ticket.steps.map(
    ({ atMs, by, state, group, assignee, said, sets }): Event => ({
      atMs,
      by,
      sets: {
        ...sets,
        ...(state === undefined ? {} : { state }),
        ...(group === undefined ? {} : { assignment_group: group.id }),
        ...(assignee === undefined ? {} : { assigned_user: assignee?.id ?? null }),
      },
      ...(said === undefined ? {} : { said }),
    }),
  )
  const dueMs = slaDueMs(ticket)
  const events = [
    ...approvalEvents(ticket),
    ...steps,
    ...files.flatMap((file) => (file.isScreenshot ? [{ ...file, sets: { screenshot: file.row.sys_id } }] : [])),
    // What it sets, `apply` finds out: it depends on the state of that moment.
    ...(dueMs === null ? [] : [{ atMs: dueMs, by: monitoring, sets: {} }]),
  ]
  const isLater = (event: Event): number => Number(!belongsToOpening(event, ticket))
  return events.toSorted((a, b) => a.atMs - b.atMs || isLater(a) - isLater(b))
}

/** The approval is a record of its own; its task is told of each of its states by the database. */
function approvalEvents({ approval, openedBy }: Ticket): readonly Event[] {
  if (approval === undefined) return []
  const { requestedAtMs, decidedAtMs, approver, decision } = approval
  return [
    { atMs: requestedAtMs, by: openedBy, sets: { approval_state: 'requested' } },
    { atMs: decidedAtMs, by: approver, sets: { approval_state: decision } },
  ]
}

function slaDueMs({ columns }: Ticket): number | null {
  const due = columns['sla_due']
  return typeof due === 'string' ? Date.parse(`${due.replace(' ', 'T')}Z`) : null
}

/** Who opens a ticket fills in what they know at once; a state is moved on later, and an approval is asked for later. */
function belongsToOpening({ atMs, by, sets, said }: Event, { openedAtMs, openedBy }: Ticket): boolean {
  const isOfOpener = atMs <= openedAtMs && by.id === openedBy.id
  return isOfOpener && said === undefined && !['state', 'approval_state', 'screenshot'].some((name) => name in sets)
}

function openedAs(ticket: Ticket, opening: readonly Event[]): Row {
  const openedAt = timestamp(ticket.openedAtMs)
  return {
    ...ticket.columns,
    ...Object.assign({}, ...opening.map(({ sets }) => sets)),
    state: '0',
    state_changed_at: openedAt,
    approval_state: 'not_requested',
    attention_required: false,
    active: true,
    opened_at: openedAt,
    opened_by: ticket.openedBy.id,
  }
}

/** Writes an event into the values, with what the platform stamps beside it, and tells what differs now: old and new. */
function apply(event: Event, values: Map<string, unknown>): Row {
  const at = timestamp(event.atMs)
  const { state } = event.sets
  const sets: Row = {
    ...event.sets,
    ...(state === undefined ? {} : { state_changed_at: at }),
    ...(state === finalState ? { active: false, closed_at: at, closed_by: event.by.id } : {}),
    attention_required: isLate(at, values.get('sla_due')) && Number(state ?? values.get('state')) < 7,
  }
  const differing = Object.entries(sets).flatMap(([name, value]) => {
    const old = values.get(name) ?? null
    values.set(name, value)
    return old === (value ?? null) ? [] : [[name, [old, value ?? null]] as const]
  })
  const said = event.said === undefined ? [] : [[event.said.column, [null, event.said.text]] as const]
  return Object.fromEntries([...differing, ...said])
}

const isLate = (at: string, slaDue: unknown): boolean => typeof slaDue === 'string' && at >= slaDue

function filled(values: ReadonlyMap<string, unknown>): Row {
  return Object.fromEntries([...values].filter(([, value]) => value !== null && value !== undefined))
}

// ── what hangs on it ──

function withApproval(
  changes: readonly LoggedChange[],
  ticket: Ticket,
  ground: Ground,
): Pick<SettledTicket, 'changes' | 'approvals'> {
  const { approval } = ticket
  if (approval === undefined) return { changes, approvals: [] }
  const asked = askedApproval(ground, ticket, approval)
  const { sys_id, task, approver, state, due_at } = asked
  const about = { table_id: ground.classId('sys_approval'), record_id: sys_id, audited: false }
  const asking = { atMs: approval.requestedAtMs, by: ticket.openedBy.id }
  const created = logged({ ...about, ...asking, operation: 'c', changes: { task, approver, state, due_at } })
  if (approval.decidedAtMs > ground.nowMs) return { changes: [...changes, created], approvals: [asked] }
  const deciding = { atMs: approval.decidedAtMs, by: approval.approver.id }
  const at = timestamp(approval.decidedAtMs)
  const decided = { state: approval.decision, comment: approval.comment, decided_at: at }
  const differing = {
    state: [state, decided.state],
    decided_at: [null, at],
    ...(approval.comment === null ? {} : { comment: [null, approval.comment] }),
  }
  return {
    changes: [...changes, created, logged({ ...about, ...deciding, operation: 'u', changes: differing })],
    approvals: [{ ...asked, ...decided, sys_updated_at: at, sys_updated_by: approval.approver.id }],
  }
}

function askedApproval(ground: Ground, ticket: Ticket, approval: Approval) {
  const at = timestamp(approval.requestedAtMs)
  return {
    sys_id: ground.newSysId(approval.requestedAtMs),
    sys_created_at: at,
    sys_created_by: ticket.openedBy.id,
    sys_updated_at: at,
    sys_updated_by: ticket.openedBy.id,
    sys_db_table_id: ground.classId('sys_approval'),
    task: ticket.id,
    approver: approval.approver.id,
    state: 'requested',
    due_at: timestamp(approval.dueAtMs),
  }
}

function journalRow(ground: Ground, ticket: Ticket, event: Event, said: NonNullable<Step['said']>): Row {
  const at = timestamp(event.atMs)
  return {
    sys_id: ground.newSysId(event.atMs),
    sys_created_at: at,
    sys_created_by: event.by.id,
    sys_updated_at: at,
    sys_updated_by: event.by.id,
    sys_db_table_id: ground.classId('sys_journal_entry'),
    table_id: ground.classId(ticket.table),
    record_id: ticket.id,
    column_name: said.column,
    value: said.text,
  }
}
