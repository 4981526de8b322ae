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

/** Something that happened to a ticket, at one moment and by one person. */
export interface Step {
  readonly atMs: number
  readonly by: Person
  readonly state?: TicketState
  readonly group?: Group
  /** null: taken from the one who had it. */
  readonly assignee?: Person | null
  readonly entry?: { readonly column: 'work_notes' | 'comments' | 'additional_comments'; readonly text: string }
  /** A picture of the screen, to go with what was said. */
  readonly sends?: 'picture'
  /** Other columns that change with this step. */
  readonly sets?: Row
}

/** Somebody had to agree before the work began. */
export interface Approval {
  readonly approver: Person
  readonly requestedAtMs: number
  readonly dueAtMs: number
  readonly decidedAtMs: number
  readonly decision: 'approved' | 'rejected'
  readonly comment: string | null
}

/**
 * The whole life of a ticket, also what has not happened yet: settle-ticket.ts cuts it at "now", so that states, dates,
 * notes and history always agree with each other.
 */
export interface Ticket {
  readonly id: string
  readonly table: TicketTable
  readonly openedAtMs: number
  readonly openedBy: Person
  /** What does not change in its life, by storage column. */
  readonly columns: Row
  /** In the order of time; the opening itself (state 0) is not among them. */
  readonly steps: readonly Step[]
  readonly approval?: Approval
  /** What its texts are about; those of a ticket that nothing is attached to need not be kept. */
  readonly story?: Story
}

export interface Story {
  readonly facts: Facts
  readonly language: Language
}
