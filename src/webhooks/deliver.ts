import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { type SendOptions, sendDelivery } from './send-delivery.ts'

export interface DeliveryRoom extends Pick<SendOptions, 'allowedNetworks'> {
  readonly database: Database
  readonly clock: Clock
}

/** Waits between attempts, in seconds: about two days in all, over a weekend's outage. Then the letter is dead. */
const backOffSeconds: readonly number[] = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400]

const atOnce = 16
const timeoutMs = 15_000
/** Longer than an attempt takes: who holds a letter beyond this is dead. */
const leaseMs = 20_000

interface Due {
  readonly id: string
  readonly url: string
  readonly event_id: string
  readonly body: string
  readonly secret: string
  readonly attempts: number
}

/**
 * Sends what is due. Of a record's letters to one webhook only the earliest that is on its way, so that they arrive in order;
 * each at least once: what was sent and not noted, because the process died, is sent again when its lease is over.
 *
 * @returns how many were tried
 */
export async function deliverDue(room: DeliveryRoom): Promise<number> {
  const due = await claim(room)
  await Promise.all(due.map((letter) => attempt(letter, room)))
  return due.length
}

function claim({ database, clock }: DeliveryRoom): Promise<readonly Due[]> {
  const nowMs = clock.nowMs()
  return database.rows<Due>(sql`
    with due as (
      select d.sys_id from docket.sys_webhook_delivery d join docket.sys_webhook w on w.sys_id = d.webhook
      where d.state = 'pending' and w.active and coalesce(d.next_attempt_at, '-infinity') <= ${utc(nowMs)}::timestamp
        and coalesce(d.leased_until, '-infinity') < ${utc(nowMs)}::timestamp
        and not exists (select from docket.sys_webhook_delivery e where e.webhook = d.webhook and e.record_id = d.record_id and e.table_id = d.table_id
                        and e.state = 'pending' and e.event_id < d.event_id)
      order by d.event_id limit ${atOnce} for update of d skip locked)
    update docket.sys_webhook_delivery d set attempts = d.attempts + 1, leased_until = ${utc(nowMs + leaseMs)}::timestamp
    from due, docket.sys_webhook w, docket_system.webhook s
    where d.sys_id = due.sys_id and w.sys_id = d.webhook and s.webhook_id = d.webhook
    returning d.sys_id::text as id, w.url, d.event_id::text, d.payload::text as body, encode(s.secret, 'base64') as secret, d.attempts`)
}

async function attempt(due: Due, { database, clock, allowedNetworks }: DeliveryRoom): Promise<void> {
  const letter = { url: due.url, id: due.event_id, body: due.body, secret: Buffer.from(due.secret, 'base64') }
  const { status, error } = await sendDelivery(letter, { allowedNetworks, nowMs: clock.nowMs(), timeoutMs })
  const nowMs = clock.nowMs()
  const waitSeconds = backOffSeconds[due.attempts - 1]
  const state = error === null ? 'delivered' : waitSeconds === undefined ? 'dead' : 'pending'
  const next = state === 'pending' ? utc(nowMs + (waitSeconds ?? 0) * 1_000) : null
  await database.rows(sql`
    update docket.sys_webhook_delivery set state = ${state}, response_status = ${status}::integer, error = ${error}::text,
      next_attempt_at = ${next}::timestamp, leased_until = null, sys_updated_at = docket_system.now_utc(),
      delivered_at = case when ${state} = 'delivered' then ${utc(nowMs)}::timestamp end
    where sys_id = ${due.id}::bigint and state = 'pending'`)
}

/** Delivered letters are kept for a look at what went out. */
const keepDeliveredMs = 7 * 86_400_000

export async function clearDelivered({ database, clock }: Pick<DeliveryRoom, 'database' | 'clock'>): Promise<void> {
  await database.rows(sql`delete from docket.sys_webhook_delivery
    where state = 'delivered' and delivered_at < ${utc(clock.nowMs() - keepDeliveredMs)}::timestamp`)
}

const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 23)
