import { byTime, type LoggedChange } from './change-log.ts'
import { makeChange } from './make-change.ts'
import { makeIncident } from './make-incident.ts'
import { makeProblem } from './make-problem.ts'
import { makeRequest } from './make-request.ts'
import { makeRoutineTask, makeSubtasks } from './make-task.ts'
import type { Ground, Row, Staffing, World } from './model.ts'
import type { Random } from './random.ts'
import { settleTicket } from './settle-ticket.ts'
import type { Ticket } from './ticket.ts'
import { changeOf, type FileOfTicket, filesOf } from './ticket-files.ts'
import { dayMs } from './working-time.ts'

/** Tasks and incidents together are 3,000; the others are additional. */
const counts = { incidents: 2_300, tasks: 700, requests: 420, changes: 130, problems: 48 } as const
export const daysOfTickets = 90

export interface Tickets {
  /** In the order of inserts. */
  readonly rows: {
    /** The whole hierarchy, in the order of opening, which is the order of numbers. */
    readonly task: readonly Row[]
    readonly sys_journal_entry: readonly Row[]
    readonly sys_approval: readonly Row[]
    readonly sys_attachment: readonly Row[]
  }
  /** In chronological order. */
  readonly changes: readonly LoggedChange[]
  readonly files: readonly FileOfTicket[]
}

/**
 * Everything that happened on the desk in the last 90 days.
 *
 * @param withFiles whether files can be stored
 */
export function makeTickets(random: Random, ground: Ground, staffing: Staffing, withFiles: boolean): Tickets {
  const world: World = {
    random,
    ground,
    staffing,
    span: { fromMs: ground.nowMs - daysOfTickets * dayMs, toMs: ground.nowMs },
  }
  const problems = times(counts.problems, () => makeProblem(world))
  const requests = times(counts.requests, () => makeRequest(world))
  const made: readonly Ticket[] = [
    ...problems.map(({ ticket }) => ticket),
    ...requests,
    ...requests.flatMap((request) => makeSubtasks(world, request)),
    ...times(counts.changes, () => makeChange(world)),
    ...times(counts.incidents, () => makeIncident(world, problems)),
    ...times(counts.tasks, () => makeRoutineTask(world)),
  ]
  const tickets = made
    .filter(({ openedAtMs }) => openedAtMs <= ground.nowMs)
    .toSorted((a, b) => a.openedAtMs - b.openedAtMs)
  const files = new Map(withFiles ? tickets.map((ticket) => [ticket, filesOf(ticket, world)] as const) : [])
  const { monitoring } = staffing
  const rowsOfTickets = tickets.map((ticket) =>
    settleTicket(ticket, { ground, monitoring, files: files.get(ticket) ?? [] }),
  )
  const attached = [...files.values()].flat()
  return {
    rows: {
      task: rowsOfTickets.map(({ row }) => row),
      sys_journal_entry: rowsOfTickets.flatMap(({ journal }) => journal),
      sys_approval: rowsOfTickets.flatMap(({ approvals }) => approvals),
      sys_attachment: attached.map(({ row }) => row),
    },
    changes: [
      ...attached.map((file) => changeOf(file, ground)),
      ...rowsOfTickets.flatMap((one) => [...one.changes, ...one.approvalChanges]),
    ].toSorted(byTime),
    files: attached,
  }
}

function times<T>(count: number, make: () => T): readonly T[] {
  return Array.from({ length: count }, make)
}
