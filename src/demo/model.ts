import type { Random } from './random.ts'
import type { CompanyWords } from './words/companies.ts'
import type { Language } from './words/language.ts'
import type { ServiceKey } from './words/services.ts'
import type { TeamKey } from './words/teams.ts'
import type { Span } from './working-time.ts'

/** What the generators need to know of the database and of the time. */
export interface Ground {
  readonly nowMs: number
  /** A new sys_id for a record created at that time: the first ten digits of a sys_id are the second of its creation. */
  newSysId(createdAtMs: number): string
  /** @throws Error when the dictionary does not have the table */
  classId(table: string): string
  roleId(role: string): string
  columnId(table: string, column: string): string
  /** The database has the table of departments, and users have one. */
  readonly hasDepartments: boolean
  /** The built-in administrator. */
  readonly administratorId: string
}

/** A row in the form for PostgreSQL: values by storage column. */
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
  /** false for people who left: they have old tickets, but no new ones. */
  readonly isActive: boolean
  readonly isVip: boolean
}

export interface Group {
  readonly id: string
  readonly key: TeamKey
  readonly members: readonly Person[]
}

/** The people of all tickets. */
export interface Staffing {
  readonly people: readonly Person[]
  readonly callers: readonly Person[]
  readonly groups: ReadonlyMap<TeamKey, Group>
  readonly managers: ReadonlyMap<string, Person>
  readonly services: ReadonlyMap<ServiceKey, string>
  /** The account with which monitoring opens its tickets. */
  readonly monitoring: Person
}

/** The input for every ticket. */
export interface World {
  readonly random: Random
  readonly ground: Ground
  readonly staffing: Staffing
  /** The days with tickets; ends now. */
  readonly span: Span
}
