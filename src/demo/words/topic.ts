import type { InBoth } from './language.ts'
import type { ServiceKey } from './services.ts'
import type { Team } from './teams.ts'

export type Category =
  | 'access'
  | 'hardware'
  | 'software'
  | 'network'
  | 'mail'
  | 'telephony'
  | 'printing'
  | 'security'
  | 'business_app'
  | 'other'

/**
 * One thing that happens to people, from the call to the cure. `{slot}` stands for a fact of the ticket (ticket-facts.ts),
 * the same in all of its texts; `[он|она]` takes the form of who speaks.
 */
export interface CaseWords {
  readonly subjects: readonly string[]
  readonly description: string
  /** A work note: what the agent found out. */
  readonly finding: string
  /** What was done in the end. */
  readonly fix: string
}

export interface Topic {
  readonly category: Category
  readonly team: Team
  readonly service: ServiceKey
  /** How often it happens, relative to the other topics of its list. */
  readonly weight: number
  /** Found by monitoring, at any hour, without a caller. */
  readonly monitored?: true
  readonly cases: readonly InBoth<CaseWords>[]
}
