import type { Catalog } from '../catalog/catalog.ts'
import type { Settings } from '../config/settings.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FaultName } from './faults.ts'

/** Something that is wrong. */
export interface Finding {
  readonly fault: FaultName
  /** What is wrong, as a sentence without its full stop. Holds no secret. */
  readonly what: string
  /** A path, a table, an address; with several, the first of them. */
  readonly where: string
  /** A command, a setting or a request. */
  readonly cure: string
}

export interface Examined {
  /** What there is, for when nothing is wrong. */
  readonly summary: string
  readonly findings: readonly Finding[]
}

/** One thing that is examined. It writes nothing. */
export interface Check<Ground> {
  readonly name: string
  run(ground: Ground): Promise<Examined>
}

/** Before any connection. */
export interface SettingsGround {
  readonly settings: Settings
  readonly limits: Limits
  readonly clock: Clock
  /** Bytes that this account may still write to the disk of a path. */
  readonly freeBytes: (path: string) => Promise<number>
  /** Files are read and the search index is compared, which takes as long as reading all of them. */
  readonly isThorough: boolean
  /** Aborted: no further check begins. Absent: all run. */
  readonly stopping?: AbortSignal
}

/** With a database whose schema is of this version. The connections refuse to write. */
export interface DatabaseGround extends SettingsGround {
  readonly database: Database
  readonly catalog: Catalog
}

/** Where a finding begins. */
export interface Limits {
  readonly minFreeBytes: number
  readonly clockToleranceMs: number
  readonly openTransactionMs: number
  /** How long work may be left lying: a running server takes it up within seconds. */
  readonly staleMs: number
  /** A younger file may belong to a load that is just under way. */
  readonly orphanMs: number
}

export const defaultLimits: Limits = {
  minFreeBytes: 1_073_741_824,
  clockToleranceMs: 5_000,
  openTransactionMs: 60_000,
  staleMs: 300_000,
  orphanMs: 3_600_000,
}

const maxNamed = 5

/** The first of many names. */
export function listNames(names: readonly string[]): string {
  const rest = names.length - maxNamed
  return names.slice(0, maxNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
