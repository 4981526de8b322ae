import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import type { Settings } from '../config/settings.ts'
import type { Database, Session } from '../database/database.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import type { Observe } from '../telemetry/observation.ts'

/** Fills the database; runs inside one transaction. */
export type Fill = (session: Session) => Promise<void>

/**
 * The demo service desk, when it is wanted, in a database that never started before. A start that was killed while it
 * filled finds nothing of it and fills again; of several that start at once, one fills.
 */
export async function fillOnFirstStart(
  database: Database,
  { settings, fillDemo, observe, clock = systemClock }: FirstStart,
): Promise<void> {
  const beganMs = clock.nowMs()
  const isFilled = await database.inTransaction(async (session) => {
    if (fillDemo === undefined || !(await claimStep(session, 'demo', settings.demo))) return false
    if (settings.demo === 'off') return false
    await fillDemo(session)
    return true
  })
  if (isFilled) observe({ kind: 'demo-filled', tookMs: clock.nowMs() - beganMs })
}

export interface FirstStart {
  readonly settings: Settings
  readonly fillDemo?: Fill
  readonly observe: Observe
  readonly clock?: Clock
}

/** @returns whether the step is ours to do: nobody did it before; a rival waits here until our transaction has ended */
async function claimStep(session: Session, name: string, outcome: string): Promise<boolean> {
  await session.rows(sql`
    create table if not exists docket_system.setup_step (
      name text primary key,
      outcome text not null,
      done_at timestamp not null default docket_system.now_utc()
    )`)
  const claimed = await session.rows(sql`
    insert into docket_system.setup_step (name, outcome) values (${name}, ${outcome})
    on conflict (name) do nothing
    returning name`)
  return claimed.length === 1
}

/** The administrator's name in every database; `password` only when it was made up here and nobody knows it yet. */
export interface Administrator {
  readonly name: 'admin'
  readonly isNew: boolean
  readonly password?: string
}

/**
 * Gives the administrator a password, once: while there is none, nobody can log in as them. Called last, when the server
 * already listens, so that a password that was made up is always printed.
 */
export async function giveAdministratorPassword(database: Database, settings: Settings): Promise<Administrator> {
  const missing = await database.rows(sql`select from docket."user" where user_name = 'admin' and password is null`)
  if (missing.length === 0) return { name: 'admin', isNew: false }
  const password = settings.adminPassword ?? randomBytes(15).toString('base64url')
  const given = await database.rows(sql`
    update docket."user" set password = ${await hash(password)}
    where user_name = 'admin' and password is null
    returning sys_id`)
  if (given.length === 0) return { name: 'admin', isNew: false }
  return { name: 'admin', isNew: true, ...(settings.adminPassword === undefined && { password }) }
}
