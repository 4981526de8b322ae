import type { Settings } from '../config/settings.ts'
import type { Database, Session } from '../database/database.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { sql } from '../kernel/sql.ts'
import type { Observe } from '../telemetry/observation.ts'

/** Fills the database; runs inside one transaction. */
export type Fill = (session: Session) => Promise<void>

/**
 * Installs the demo service desk, if requested, in a database that never started before. A killed start rolls back, and the next one fills
 * the database again; of several simultaneous starts, one fills it.
 */
export async function fillOnFirstStart(
  database: Database,
  { settings, fillDemo, observe, clock = systemClock }: FirstStart,
): Promise<void> {
  const beganMs = clock.nowMs()
  const isFilled = await database.inTransaction(async (session) => {
    if (fillDemo === undefined || !(await claimStep(session, 'demo', settings.demo ?? 'on'))) return false
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

/** Whether no start of this database has decided about the demo yet. */
export async function isDemoUndecided(database: Database): Promise<boolean> {
  const [found] = await database.rows<{ readonly exists: boolean }>(sql`
    select to_regclass('docket_system.setup_step') is not null as exists`)
  if (found?.exists !== true) return true
  const done = await database.rows(sql`select from docket_system.setup_step where name = 'demo'`)
  return done.length === 0
}

/** @returns whether this process has to do the step: nobody did it before. A concurrent start waits here until our transaction ends */
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
