import type { Random } from './random.ts'
import type { CompanyWords } from './words/companies.ts'
import type { Language } from './words/language.ts'
import type { ServiceKey } from './words/services.ts'
import type { TeamKey } from './words/teams.ts'
import type { Span } from './working-time.ts'

/** What the generators need to know of the database that they write for, and of the time. */
export interface Ground {
  readonly nowMs: number
  /** A fresh sys_id for a record made at that time: the first ten digits of a sys_id are the second of its creation. */
  newSysId(createdAtMs: number): string
  /** @throws Error when the dictionary has no such table */
  classId(table: string): string
  roleId(role: string): string
  /** The built-in administrator. */
  readonly administratorId: string
}

/** A row as PostgreSQL takes it: values by storage column. */
export type Row = Readonly<Record<string, unknown>>

export interface Company {
  readonly id: string
  readonly words: CompanyWords
}

export interface Person {
  readonly id: string
  readonly userName: string
  readonly firstName: string
  readonly lastName: string
  readonly displayName: string
  readonly isWoman: boolean
  readonly language: Language
  readonly timeZone: string
  readonly company: Company
  /** false for people who left: they have old tickets, no new ones. */
  readonly isActive: boolean
  readonly isVip: boolean
}

export interface Group {
  readonly id: string
  readonly key: TeamKey
  readonly members: readonly Person[]
}

/** Who is there: what every ticket is made from. */
export interface Staffing {
  readonly people: readonly Person[]
  readonly callers: readonly Person[]
  readonly groups: ReadonlyMap<TeamKey, Group>
  readonly managers: ReadonlyMap<string, Person>
  readonly services: ReadonlyMap<ServiceKey, string>
  /** The account that monitoring opens its tickets with. */
  readonly monitoring: Person
}

/** What every ticket is made in. */
export interface World {
  readonly random: Random
  readonly ground: Ground
  readonly staffing: Staffing
  /** The days that have tickets; ends now. */
  readonly span: Span
}
