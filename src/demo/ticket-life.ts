import type { Group, Person, Row } from './model.ts'
import type { Random } from './random.ts'
import type { Step, TicketState } from './ticket.ts'
import { type Facts, fillIn, type Speech } from './ticket-facts.ts'
import { type Chatter, chatter } from './words/chatter.ts'
import type { Language } from './words/language.ts'
import { addWorkingMinutes, minuteMs, nextWorkingMoment } from './working-time.ts'

export type Priority = '1' | '2' | '3' | '4'

/** What a life depends on in its ticket. */
export interface Circumstances {
  readonly openedAtMs: number
  readonly openedBy: Person
  /** null: a machine reported it, or nobody. */
  readonly caller: Person | null
  readonly language: Language
  readonly priority: Priority
  readonly facts: Facts
  readonly finding: string
  readonly fix: string
  readonly groups: readonly [Group, ...Group[]]
  /** Incidents have a column for it. */
  readonly countsReopening: boolean
}

/** Median minutes of work; critical tickets are worked on around the clock. */
const waitMinutes = { '1': 4, '2': 14, '3': 50, '4': 100 } as const
const workMinutes = { '1': 70, '2': 160, '3': 380, '4': 600 } as const

/**
 * The life of an incident or a request: assigned, worked on, returned for information, reassigned, solved, rejected, closed.
 */
export function liveThrough(random: Random, about: Circumstances): readonly Step[] {
  const life = new Life(random, about)
  life.beAssigned()
  life.beStarted()
  for (const next of about.groups.slice(1)) life.beHandedOn(next)
  life.beInterrupted()
  life.beCompleted()
  if (about.caller !== null && random.chance(0.05)) life.beRejected()
  life.beClosed()
  return life.steps
}

/**
 * The only mutable object here: a ticket at a moment of its life. Each method advances the time and records what happened; the
 * order of calls is the order of events.
 */
class Life {
  readonly steps: Step[] = []
  readonly #random: Random
  readonly #about: Circumstances
  readonly #words: Chatter
  #atMs: number
  #group: Group
  #agent: Person
  #workedMs = 0
  #reassignments = 0

  constructor(random: Random, about: Circumstances) {
    this.#random = random
    this.#about = about
    this.#words = chatter[about.language]
    this.#atMs = about.openedAtMs
    this.#group = about.groups[0]
    this.#agent = this.#someoneOf(this.#group)
    // The person who opened it also chose the group.
    this.steps.push({ atMs: this.#atMs, by: about.openedBy, group: this.#group })
  }

  beAssigned(): void {
    this.#pass(this.#random.longTailed(waitMinutes[this.#about.priority], 2.2))
    const dispatcher = this.#random.chance(0.5) ? this.#agent : this.#someoneOf(this.#group)
    this.#step(dispatcher, { state: '1', assignee: this.#agent })
  }

  beStarted(): void {
    this.#pass(this.#random.longTailed(waitMinutes[this.#about.priority] * 1.2, 2))
    this.#step(this.#agent, { state: '2' })
    if (this.#about.caller !== null && this.#random.chance(0.3))
      this.#say('comments', this.#agent, this.#words.greetings)
    if (this.#about.caller !== null && this.#random.chance(0.06)) this.#complain()
  }

  beHandedOn(next: Group): void {
    this.#work(0.25)
    this.#say('work_notes', this.#agent, this.#words.handedOn)
    const from = this.#agent
    this.#group = next
    this.#agent = this.#someoneOf(next)
    this.#reassignments += 1
    this.#step(from, { state: '1', group: next, assignee: null, sets: { reassignment_count: this.#reassignments } })
    this.#pass(this.#random.longTailed(waitMinutes[this.#about.priority], 2))
    this.#step(this.#someoneOf(next), { assignee: this.#agent })
    this.#pass(this.#random.longTailed(waitMinutes[this.#about.priority], 2))
    this.#step(this.#agent, { state: '2' })
  }

  beInterrupted(): void {
    this.#work(0.4)
    if (this.#random.chance(0.6)) this.#note(this.#about.finding)
    const kind = this.#random.next()
    if (kind < 0.14 && this.#about.caller !== null) this.#requestInformation(this.#about.caller)
    else if (kind < 0.2) this.#rest('4', this.#words.postponed, 2_700)
    else if (kind < 0.26) this.#rest('5', this.#words.external, 1_600)
  }

  beCompleted(): void {
    this.#work(0.6)
    if (this.#random.chance(0.7)) this.#say('comments', this.#agent, this.#words.done)
    this.#complete()
  }

  beRejected(): void {
    const { caller } = this.#about
    if (caller === null) return
    this.#pass(this.#random.longTailed(300, 2.5))
    this.#say('comments', caller, this.#words.rejected)
    this.#step(caller, { state: '6', sets: { close_code: null, closure_notes: null } })
    this.#pass(this.#random.longTailed(60, 2))
    this.#step(this.#agent, { state: '2', ...(this.#about.countsReopening ? { sets: { reopen_count: 1 } } : {}) })
    this.#work(0.5)
    this.#say('comments', this.#agent, this.#words.reworked)
    this.#complete()
  }

  /** Closed by a caller who says thanks, otherwise by the agent after three working days without an objection. */
  beClosed(): void {
    const { caller } = this.#about
    if (caller !== null && this.#random.chance(0.3)) {
      this.#pass(this.#random.longTailed(120, 3))
      this.#say('additional_comments', caller, this.#words.thanks)
      this.#step(caller, { state: '10' })
      return
    }
    this.#pass(3 * 540)
    this.#step(this.#agent, { state: '10' })
  }

  #complete(): void {
    const code = this.#random.pickWeighted([
      ['solved', 78],
      ['workaround', 9],
      ['not_reproducible', 4],
      ['by_caller', 4],
      ['duplicate', 3],
      ['not_solved', 2],
    ] as const)
    this.#step(this.#agent, {
      state: '7',
      sets: {
        close_code: code,
        closure_notes: fillIn(this.#about.fix, this.#about.facts, this.#agent),
        time_worked: String(Math.round(this.#workedMs / minuteMs) * minuteMs),
      },
    })
  }

  #requestInformation(caller: Person): void {
    const [question, answer, sends] = this.#random.pick(this.#words.questions)
    this.#say('comments', this.#agent, [question])
    this.#step(this.#agent, { state: '3' })
    this.#pass(this.#random.longTailed(240, 3))
    this.#say('comments', caller, [answer], sends)
    this.#pass(this.#random.longTailed(20, 2))
    this.#step(this.#agent, { state: '2' })
  }

  #rest(state: TicketState, why: readonly string[], medianMinutes: number): void {
    this.#say('work_notes', this.#agent, why)
    this.#step(this.#agent, { state })
    this.#pass(this.#random.longTailed(medianMinutes, 2.2))
    this.#step(this.#agent, { state: '2' })
  }

  #complain(): void {
    const { caller } = this.#about
    if (caller === null) return
    this.#pass(this.#random.longTailed(180, 2))
    this.#say('comments', caller, this.#words.impatient)
  }

  /** A part of the work on it; some of that time is spent on other tickets. */
  #work(share: number): void {
    const minutes = this.#random.longTailed(workMinutes[this.#about.priority] * share, 2.6)
    this.#workedMs += minutes * minuteMs * (0.1 + this.#random.next() * 0.25)
    this.#pass(minutes)
  }

  #pass(minutes: number): void {
    const atLeast = Math.max(1, minutes)
    const isUrgent = this.#about.priority === '1'
    const ms = isUrgent ? this.#atMs + atLeast * minuteMs : addWorkingMinutes(this.#atMs, atLeast, this.#agent.timeZone)
    this.#atMs = Math.floor(ms / 1_000) * 1_000 + this.#random.between(0, 59) * 1_000
  }

  #step(
    by: Person,
    change: {
      readonly state?: TicketState
      readonly group?: Group
      readonly assignee?: Person | null
      readonly sets?: Row
    },
  ): void {
    this.steps.push({ atMs: this.#atMs, by, ...change })
  }

  #note(text: string): void {
    const entry = { column: 'work_notes' as const, text: fillIn(text, this.#about.facts, this.#agent) }
    this.steps.push({ atMs: this.#atMs, by: this.#agent, entry })
  }

  #say(
    column: 'work_notes' | 'comments' | 'additional_comments',
    by: Person,
    phrases: readonly string[],
    sends?: 'picture',
  ): void {
    // Minutes pass between reading and writing, and a comment precedes the change that it explains.
    this.#atMs += this.#random.between(20, 200) * 1_000
    const speech: Speech = {
      isWoman: by.isWoman,
      first: this.#about.caller?.firstName ?? '',
      agent: this.#agent.firstName,
    }
    const text = fillIn(this.#random.pick(phrases), this.#about.facts, speech)
    this.steps.push({ atMs: this.#atMs, by, entry: { column, text }, ...(sends === undefined ? {} : { sends }) })
  }

  /** A member of the group who writes the ticket's language, if there is one. */
  #someoneOf(group: Group): Person {
    const fluent = group.members.filter(({ language }) => language === this.#about.language)
    return this.#random.pick(fluent.length > 0 ? fluent : group.members)
  }
}

/** The deadline of the agreement: four hours for a critical ticket, otherwise working hours. */
export function slaDueMs(openedAtMs: number, priority: Priority, zone: string): number {
  const workingMinutes = { '2': 480, '3': 1_440, '4': 2_700 } as const
  return priority === '1'
    ? openedAtMs + 240 * minuteMs
    : addWorkingMinutes(nextWorkingMoment(openedAtMs, zone), workingMinutes[priority], zone)
}
