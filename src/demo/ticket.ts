import type { Group, Person, Row } from './model.ts'
import type { Facts } from './ticket-facts.ts'
import type { Language } from './words/language.ts'

export type TicketState = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '10'
export const finalState = '10' satisfies TicketState

export type TicketTable =
  | 'task'
  | 'itsm_task'
  | 'itsm_incident'
  | 'itsm_problem'
  | 'itsm_change_request'
  | 'itsm_request'

/** An event of a ticket, at one time and by one person. */
export interface Step {
  readonly atMs: number
  readonly by: Person
  readonly state?: TicketState
  readonly group?: Group
  /** null: removed from the previous assignee. */
  readonly assignee?: Person | null
  readonly entry?: { readonly column: 'work_notes' | 'comments' | 'additional_comments'; readonly text: string }
  /** A screenshot that goes with the text. */
  readonly sends?: 'picture'
  /** Other columns that change with this step. */
  readonly sets?: Row
}

/** An approval before the work began. */
export interface Approval {
  readonly approver: Person
  readonly requestedAtMs: number
  readonly dueAtMs: number
  readonly decidedAtMs: number
  readonly decision: 'approved' | 'rejected'
  readonly comment: string | null
}

/**
 * The whole life of a ticket, including the future: settle-ticket.ts cuts it at "now", so that states, dates, notes and history
 * are always consistent.
 */
export interface Ticket {
  readonly id: string
  readonly table: TicketTable
  readonly openedAtMs: number
  readonly openedBy: Person
  /** Values that do not change, by storage column. */
  readonly columns: Row
  /** In chronological order, without the opening itself (state 0). */
  readonly steps: readonly Step[]
  readonly approval?: Approval
  /** The subject of its texts; not needed for a ticket without attachments. */
  readonly story?: Story
}

export interface Story {
  readonly facts: Facts
  readonly language: Language
}
