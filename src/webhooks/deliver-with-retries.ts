import { countUpdate } from '../database/count-update.ts'
import { endLease, isFreeAt, takeLeaseUntil } from '../jobs/lease.ts'
import { startLoop } from '../kernel/loop.ts'
import { sql } from '../kernel/sql.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { currentPayload } from './current-payload.ts'
import { type Outcome, type SendOptions, sendDelivery } from './send-delivery.ts'

export interface DeliveryDeps extends Pick<SendOptions, 'allowedNetworks'> {
  readonly deps: RecordDeps
  readonly onError: (error: unknown) => void
}

/** Sends deliveries in the background. */
export interface WebhookSender {
  /** Sends the deliveries that are due, and those that become due when another delivery ends. Does not wait for them. */
  notify(): void
  /** Resolves when no delivery is in progress. */
  idle(): Promise<void>
  /** Starts no more deliveries and resolves when those in progress end. */
  stop(): Promise<void>
}

/**
 * Waits between attempts, in seconds: about two days in all, more than a weekend's outage. After the last attempt the delivery is
 * dead.
 */
const backOffSeconds: readonly number[] = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400]

/** Concurrent deliveries of this process. */
const maxAtOnce = 64
/** Concurrent deliveries to one webhook: a slow receiver delays only its own deliveries. */
const maxToOne = 4
const timeoutMs = 15_000
/** Longer than an attempt takes: a process that holds a delivery for longer has died. */
const leaseMs = 20_000

interface Due {
  readonly id: string
  readonly webhook: string
  readonly url: string
  readonly event_id: string
  readonly position: string
  readonly run_as: string
  readonly secret: string
  readonly attempts: number
}

/**
 * Sends only the earliest pending delivery of each record to each webhook, so that deliveries arrive in order. Each is sent at
 * least once: if the process dies after sending and before recording it, the delivery is sent again when its lease ends.
 */
export function openWebhookSender(deps: DeliveryDeps): WebhookSender {
  const underWay = new Map<Promise<void>, string>()
  const claiming = startLoop({
    async turn() {
      if (underWay.size >= maxAtOnce) return
      for (const delivery of await claim(deps, countOf(underWay.values()), maxAtOnce - underWay.size)) begin(delivery)
    },
    onError: deps.onError,
  })

  function begin(delivery: Due): void {
    const sent = attempt(delivery, deps)
      .catch(deps.onError)
      .finally(() => {
        underWay.delete(sent)
        claiming.notify()
      })
    underWay.set(sent, delivery.webhook)
  }

  return {
    notify: claiming.notify,
    async idle() {
      await claiming.idle()
      while (underWay.size > 0) {
        await Promise.race(underWay.keys())
        await claiming.idle()
      }
    },
    async stop() {
      await claiming.stop()
      await Promise.all(underWay.keys())
    },
  }
}

function countOf(webhooks: Iterable<string>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const webhook of webhooks) counts[webhook] = (counts[webhook] ?? 0) + 1
  return counts
}

/** Claims no delivery of a disabled user, and no delivery that was filled for another user. */
function claim(
  { deps: { database, clock } }: DeliveryDeps,
  underWay: Readonly<Record<string, number>>,
  max: number,
): Promise<readonly Due[]> {
  const nowMs = clock.nowMs()
  const now = sql`${utc(nowMs)}::timestamp`
  return database.rows<Due>(sql`
    with due as (
      select l.sys_id from docket.sys_webhook w join docket."user" u on u.sys_id = w.run_as and u.active
      cross join lateral (
        select d.sys_id from docket.sys_webhook_delivery d
        where d.webhook = w.sys_id and d.state = 'pending' and d.run_as = w.run_as
          and coalesce(d.next_attempt_at, '-infinity') <= ${now} and ${isFreeAt('d', now)}
          and not exists (select from docket.sys_webhook_delivery e where e.webhook = d.webhook and e.record_id = d.record_id
                          and e.table_id is not distinct from d.table_id
                          and e.state = 'pending' and e.position < d.position)
        order by coalesce(d.next_attempt_at, '-infinity'), d.position
        limit greatest(0, ${maxToOne} - coalesce((${JSON.stringify(underWay)}::jsonb ->> w.sys_id::text)::integer, 0))
        for update of d skip locked) as l
      where w.active limit ${max})
    update docket.sys_webhook_delivery d set attempts = d.attempts + 1, ${takeLeaseUntil(sql`${utc(nowMs + leaseMs)}::timestamp`)}
    from due, docket.sys_webhook w, docket_system.webhook s
    where d.sys_id = due.sys_id and w.sys_id = d.webhook and s.webhook_id = d.webhook
    returning d.sys_id::text as id, d.webhook::text as webhook, w.url, d.event_id, d.position::text as position, d.run_as::text as run_as,
      encode(s.secret, 'base64') as secret, d.attempts`)
}

async function attempt(due: Due, { deps, allowedNetworks }: DeliveryDeps): Promise<void> {
  const payload = await currentPayload(deps, { position: due.position, runAs: due.run_as })
  // The delivery waits until the user is active again; the lease ends by itself.
  if (payload.kind === 'user-not-active') return
  if (payload.kind === 'unreadable') return finish(deps, due, { ...unreadable, state: 'dead', body: null })
  const delivery = { url: due.url, id: due.event_id, body: payload.json, secret: Buffer.from(due.secret, 'base64') }
  const outcome = await sendDelivery(delivery, { allowedNetworks, nowMs: deps.clock.nowMs(), timeoutMs })
  const isLast = due.attempts > backOffSeconds.length
  const state = outcome.error === null ? 'delivered' : isLast ? 'dead' : 'pending'
  await finish(deps, due, { ...outcome, state, body: payload.json })
}

const unreadable: Outcome = {
  status: null,
  error: 'the user whose rights the webhook runs with may not read this change, or it is no longer kept',
}

interface Finished extends Outcome {
  readonly state: 'delivered' | 'dead' | 'pending'
  /** The body that was sent, as JSON. */
  readonly body: string | null
}

async function finish({ database, clock }: RecordDeps, due: Due, finished: Finished): Promise<void> {
  const { state, status, error, body } = finished
  const nowMs = clock.nowMs()
  const next = state === 'pending' ? utc(nowMs + (backOffSeconds[due.attempts - 1] ?? 0) * 1_000) : null
  await database.rows(sql`
    update docket.sys_webhook_delivery set state = ${state}, response_status = ${status}::integer, error = ${error}::text,
      payload = ${body}::jsonb, next_attempt_at = ${next}::timestamp, ${endLease}, sys_updated_at = docket_system.now_utc(), ${countUpdate('sys_webhook_delivery')},
      delivered_at = case when ${state} = 'delivered' then ${utc(nowMs)}::timestamp end
    where sys_id = ${due.id}::bigint and state = 'pending' and run_as = ${due.run_as}::bigint`)
}

/** Successful deliveries are kept so that their contents can be inspected. */
const keepDeliveredMs = 7 * 86_400_000

export async function clearDelivered({ database, clock }: Pick<RecordDeps, 'database' | 'clock'>): Promise<void> {
  await database.rows(sql`delete from docket.sys_webhook_delivery
    where state = 'delivered' and delivered_at < ${utc(clock.nowMs() - keepDeliveredMs)}::timestamp`)
}

const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 23)
