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
 * An incident from the call to the solution. `{slot}` is replaced by a fact of the ticket (ticket-facts.ts), the same in all of
 * its texts; `[он|она]` is replaced by the form of the speaker.
 */
export interface CaseWords {
  readonly subjects: readonly string[]
  readonly description: string
  /** A work note: what the agent found out. */
  readonly finding: string
  /** The solution. */
  readonly fix: string
}

export interface Topic {
  readonly category: Category
  readonly team: Team
  readonly service: ServiceKey
  /** Its frequency relative to the other topics of its list. */
  readonly weight: number
  /** Detected by monitoring, at any hour, without a caller. */
  readonly monitored?: true
  readonly cases: readonly InBoth<CaseWords>[]
}
