import { isKept, type LoggedChange, logged } from './change-log.ts'
import type { Ground, Person, Row } from './model.ts'
import { type Approval, finalState, type Step, type Ticket } from './ticket.ts'
import type { FileOfTicket } from './ticket-files.ts'
import { timestamp } from './working-time.ts'

export interface TicketRows {
  readonly row: Row
  readonly journal: readonly Row[]
  /** Changes of the ticket itself, from its opening on; empty for a ticket without recent changes. */
  readonly changes: readonly LoggedChange[]
  readonly approvals: readonly Row[]
  readonly approvalChanges: readonly LoggedChange[]
}

/** A write, as one request of the API would do it. */
interface Event {
  readonly atMs: number
  readonly by: Person
  readonly sets: Row
  readonly entry?: Step['entry']
}

/**
 * The state of a ticket at `ground.nowMs`, with its journal and change log. The row is the result of its changes in order, so
 * that history and record are consistent.
 *
 * @param monitoring the account that marks overdue tickets
 */
export function settleTicket(
  ticket: Ticket,
  { ground, monitoring, files }: { ground: Ground; monitoring: Person; files: readonly FileOfTicket[] },
): TicketRows {
  const events = eventsOf(ticket, monitoring, files).filter(({ atMs }) => atMs <= ground.nowMs)
  const afterOpening = events.findIndex((event) => !belongsToOpening(event, ticket))
  const opening = events.slice(0, afterOpening === -1 ? events.length : afterOpening)
  const classId = ground.classId(ticket.table)
  const about = { table_id: classId, record_id: ticket.id, audited: true }

  const values = openedAs(ticket, opening)
  const isLogged = events.some(({ atMs }) => isKept(atMs, ground))
  const changes: LoggedChange[] = []
  const note = (operation: 'c' | 'u', atMs: number, by: Person, differing: Row): void => {
    if (isLogged) changes.push(logged({ ...about, operation, atMs, by: by.id, changes: differing }))
  }
  note('c', ticket.openedAtMs, ticket.openedBy, isLogged ? filled(values) : values)
  let last: Pick<Event, 'atMs' | 'by'> = { atMs: ticket.openedAtMs, by: ticket.openedBy }
  for (const event of events.slice(opening.length)) {
    const differing = apply(event, values)
    if (differing === null) continue
    note('u', event.atMs, event.by, differing)
    last = event
  }
  return {
    row: {
      ...values,
      sys_id: ticket.id,
      sys_created_at: values['opened_at'],
      sys_created_by: ticket.openedBy.id,
      sys_updated_at: timestamp(last.atMs),
      sys_updated_by: last.by.id,
      sys_db_table_id: classId,
    },
    journal: events.flatMap((event) =>
      event.entry === undefined ? [] : [journalRow(ground, ticket, event, event.entry)],
    ),
    changes,
    ...settleApproval(ticket, ground),
  }
}

// ── events in order ──

function eventsOf(ticket: Ticket, monitoring: Person, files: readonly FileOfTicket[]): readonly Event[] {
  const steps = ticket.steps.map(
    ({ atMs, by, state, group, assignee, entry, sets }): Event => ({
      atMs,
      by,
      sets: {
        ...sets,
        ...(state === undefined ? {} : { state }),
        ...(group === undefined ? {} : { assignment_group: group.id }),
        ...(assignee === undefined ? {} : { assigned_user: assignee?.id ?? null }),
      },
      ...(entry === undefined ? {} : { entry }),
    }),
  )
  const events = [
    ...approvalEvents(ticket),
    ...steps,
    ...files.flatMap((file) => (file.isScreenshot ? [{ ...file, sets: { screenshot: file.row.sys_id } }] : [])),
    ...overdueEvents(ticket, monitoring),
  ]
  const isLater = (event: Event): number => Number(!belongsToOpening(event, ticket))
  return events.toSorted((a, b) => a.atMs - b.atMs || isLater(a) - isLater(b))
}

/** An approval is a separate record; the database copies each of its states to the task. */
function approvalEvents({ approval, openedBy }: Ticket): readonly Event[] {
  if (approval === undefined) return []
  const { requestedAtMs, decidedAtMs, approver, decision } = approval
  return [
    { atMs: requestedAtMs, by: openedBy, sets: { approval_state: 'requested' } },
    { atMs: decidedAtMs, by: approver, sets: { approval_state: decision } },
  ]
}

/** The time limit of the ticket, if it is not solved by then; `apply` computes the effect. */
function overdueEvents({ columns, steps }: Ticket, monitoring: Person): readonly Event[] {
  const due = columns['sla_due']
  if (typeof due !== 'string') return []
  const atMs = Date.parse(`${due.replace(' ', 'T')}Z`)
  const stateThen = steps.findLast((step) => step.state !== undefined && step.atMs <= atMs)?.state ?? '0'
  return isOpen(stateThen) ? [{ atMs, by: monitoring, sets: {} }] : []
}

const isOpen = (state: unknown): boolean => Number(state) < 7

/** The person who opens a ticket fills in what they know at once; state changes and approval requests come later. */
function belongsToOpening({ atMs, by, sets, entry }: Event, { openedAtMs, openedBy }: Ticket): boolean {
  const isOfOpener = atMs <= openedAtMs && by.id === openedBy.id
  return isOfOpener && entry === undefined && !['state', 'approval_state', 'screenshot'].some((name) => name in sets)
}

function openedAs(ticket: Ticket, opening: readonly Event[]): Record<string, unknown> {
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

/**
 * Applies an event to the values, with the columns that the platform sets.
 *
 * @returns the differences, old and new; null: none
 */
function apply(event: Event, values: Record<string, unknown>): Row | null {
  const differing: Record<string, unknown> = {}
  let isNothing = true
  const write = (name: string, value: unknown): void => {
    const old = values[name] ?? null
    if (old === value) return
    values[name] = value
    differing[name] = [old, value]
    isNothing = false
  }
  const at = timestamp(event.atMs)
  for (const [name, value] of Object.entries(event.sets)) write(name, value)
  if ('state' in event.sets) write('state_changed_at', at)
  if (event.sets['state'] === finalState) {
    write('active', false)
    write('closed_at', at)
    write('closed_by', event.by.id)
  }
  const due = values['sla_due']
  if (typeof due === 'string') write('attention_required', at >= due && isOpen(values['state']))
  if (event.entry !== undefined) {
    differing[event.entry.column] = [null, event.entry.text]
    isNothing = false
  }
  return isNothing ? null : differing
}

function filled(values: Row): Row {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))
}

// ── dependent rows ──

function settleApproval(ticket: Ticket, ground: Ground): Pick<TicketRows, 'approvals' | 'approvalChanges'> {
  const { approval } = ticket
  if (approval === undefined) return { approvals: [], approvalChanges: [] }
  const requested = requestedApproval(ground, ticket, approval)
  const { sys_id, task, approver, state, due_at } = requested
  const about = { table_id: ground.classId('sys_approval'), record_id: sys_id, audited: false }
  const asking = { atMs: approval.requestedAtMs, by: ticket.openedBy.id }
  const created = isKept(approval.requestedAtMs, ground)
    ? [logged({ ...about, ...asking, operation: 'c', changes: { task, approver, state, due_at } })]
    : []
  if (approval.decidedAtMs > ground.nowMs) return { approvals: [requested], approvalChanges: created }
  const deciding = { atMs: approval.decidedAtMs, by: approval.approver.id }
  const at = timestamp(approval.decidedAtMs)
  const decided = { state: approval.decision, comment: approval.comment, decided_at: at }
  const differing = {
    state: [state, decided.state],
    decided_at: [null, at],
    ...(approval.comment === null ? {} : { comment: [null, approval.comment] }),
  }
  const changed = isKept(approval.decidedAtMs, ground)
    ? [logged({ ...about, ...deciding, operation: 'u', changes: differing })]
    : []
  return {
    approvalChanges: [...created, ...changed],
    approvals: [{ ...requested, ...decided, sys_updated_at: at, sys_updated_by: approval.approver.id }],
  }
}

function requestedApproval(ground: Ground, ticket: Ticket, approval: Approval) {
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

function journalRow(ground: Ground, ticket: Ticket, event: Event, entry: NonNullable<Step['entry']>): Row {
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
    column_name: entry.column,
    value: entry.text,
  }
}
