import { randomBytes } from 'node:crypto'
import { countUpdate } from '../database/count-update.ts'
import type { Principal } from '../identity/principal.ts'
import { endLeaseUnless } from '../jobs/lease.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { mayChange, type RecordRights } from '../records/rights/changeable-records.ts'
import { printSecret } from './send-delivery.ts'

/** Gives a webhook a new secret, which signs all later deliveries. The caller must be allowed to write the webhook. */
export async function renewSecret(
  deps: RecordDeps,
  principal: Principal,
  id: string,
): Promise<Result<{ readonly secret: string }, Problem>> {
  const rights = await mayChange(deps, principal, 'sys_webhook', id)
  if (!rights.ok) return rights
  const secret = randomBytes(32)
  const made = await deps.database.rows(sql`update docket_system.webhook set secret = ${secret}
    where webhook_id = ${id}::bigint and ${rights.value} returning webhook_id`)
  return made.length === 0 ? absent('sys_webhook', id) : succeed({ secret: printSecret(secret) })
}

/**
 * Sends a dead or delivered delivery again as if it were new, with what the run-as principal may read now. The caller must be
 * allowed to write its webhook.
 */
export async function sendAgain(
  deps: RecordDeps,
  principal: Principal,
  id: string,
): Promise<Result<{ readonly state: 'pending' }, Problem>> {
  const webhook = await webhookOf(deps, id)
  if (webhook === null) return absent('sys_webhook_delivery', id)
  const rights: Result<RecordRights, Problem> = await mayChange(deps, principal, 'sys_webhook', webhook)
  if (!rights.ok) return rights.error.kind === 'record-not-found' ? absent('sys_webhook_delivery', id) : rights
  const sent = await deps.database.rows(sql`
    update docket.sys_webhook_delivery set state = 'pending', run_as = null, attempts = 0, next_attempt_at = null,
      ${endLeaseUnless(sql`state = 'pending'`)}, response_status = null, error = null, delivered_at = null, sys_updated_at = docket_system.now_utc(), sys_updated_by = ${principal.userId}::bigint,
      ${countUpdate('sys_webhook_delivery')}
    where sys_id = ${id}::bigint and ${rights.value} returning sys_id`)
  return sent.length === 0 ? absent('sys_webhook_delivery', id) : succeed({ state: 'pending' })
}

async function webhookOf({ database }: RecordDeps, delivery: string): Promise<string | null> {
  if (!/^\d{1,18}$/.test(delivery)) return null
  const [row] = await database.rows<{ webhook: string }>(
    sql`select webhook::text from docket.sys_webhook_delivery where sys_id = ${delivery}::bigint`,
  )
  return row?.webhook ?? null
}

function absent(table: string, sysId: string): Result<never, Problem> {
  return fail({ kind: 'record-not-found', table, sysId })
}
