import type { Group, Person, Row, Staffing, World } from './model.ts'
import type { Random } from './random.ts'
import { type Priority, slaDueMs } from './ticket-life.ts'
import type { Language } from './words/language.ts'
import type { ServiceKey } from './words/services.ts'
import { type Team, teamFor } from './words/teams.ts'
import { anyMoment, busyMoment, timestamp } from './working-time.ts'

/** The caller, the time and the channel. */
export interface Call {
  readonly caller: Person
  readonly openedAtMs: number
  readonly openedBy: Person
  readonly contactType: string
}

/** People call during their office hours; the first line enters calls and visits. */
export function receiveCall({ random, staffing, span }: World): Call {
  const caller = random.pick(staffing.callers)
  const contactType = random.pickWeighted([
    ['self_service', 46],
    ['email', 22],
    ['phone', 18],
    ['chat', 9],
    ['walk_in', 5],
  ] as const)
  const isEnteredByDesk = contactType === 'phone' || contactType === 'walk_in'
  return {
    caller,
    openedAtMs: busyMoment(random, span, caller.timeZone),
    openedBy: isEnteredByDesk ? random.pick(groupFor(staffing, 'first-line', caller.language).members) : caller,
    contactType,
  }
}

/** Monitoring calls at any hour, in the language of the desk's machines. */
export function raiseAlarm({ random, staffing, span }: World): Omit<Call, 'caller'> {
  return { openedAtMs: anyMoment(random, span), openedBy: staffing.monitoring, contactType: 'monitoring' }
}

export function groupFor(staffing: Staffing, team: Team, language: Language): Group {
  const group = staffing.groups.get(teamFor(team, language))
  if (group === undefined) throw new Error(`the demo desk has no team ${team}`)
  return group
}

export function serviceId(staffing: Staffing, service: ServiceKey): string | null {
  return staffing.services.get(service) ?? null
}

export interface Weight {
  readonly urgency: Priority
  readonly impact: Priority
  readonly priority: Priority
}

/** Urgency and impact as callers see them, and the priority from the desk's matrix. */
export function weigh(random: Random, caller: Person | null): Weight {
  const impact = random.pickWeighted([
    ['1', 5],
    ['2', 14],
    ['3', 32],
    ['4', 49],
  ] as const)
  const felt = random.pickWeighted([
    ['1', 7],
    ['2', 24],
    ['3', 47],
    ['4', 22],
  ] as const)
  const urgency = caller?.isVip === true && felt !== '1' ? '2' : felt
  const sum = Number(urgency) + Number(impact)
  return { urgency, impact, priority: sum <= 3 ? '1' : sum <= 4 ? '2' : sum <= 6 ? '3' : '4' }
}

/** Columns of every ticket with a deadline; `due_date` is the promised date, never before the opening. */
export function deadlines(random: Random, openedAtMs: number, priority: Priority, zone: string): Row {
  const slaMs = slaDueMs(openedAtMs, priority, zone)
  return { sla_due: timestamp(slaMs), due_date: random.chance(0.35) ? timestamp(slaMs) : null }
}

/** A few colleagues who follow the ticket. */
export function followers(random: Random, staffing: Staffing, chance: number): readonly string[] | null {
  if (!random.chance(chance)) return null
  return random.sample(staffing.people, random.between(1, 3)).map(({ id }) => id)
}
