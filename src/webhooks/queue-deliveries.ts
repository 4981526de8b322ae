import { sql } from 'kysely'
import type { Session } from '../database/database.ts'
import { type LoadedPrincipal, loadPrincipal } from '../identity/load-principal.ts'
import { runUngated } from '../kernel/run-gated.ts'
import { changeEvent } from '../records/changes/change-event.ts'
import { readEventIds } from '../records/changes/event-ids.ts'
import { type ChangeOperation, type ChangesAsked, visibleChanges } from '../records/changes/visible-changes.ts'
import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import type { RecordRoom } from '../records/record-room.ts'

export interface QueueRoom {
  readonly room: RecordRoom
  readonly watch: Pick<ChangeWatch, 'now'>
}

export interface Webhook {
  readonly id: string
  /** The run-as principal: deliveries hold what they may read. null: nobody took the webhook over yet. */
  readonly owner: string | null
  /** Names; null: all. Those that are no longer there are left out. */
  readonly tables: readonly string[] | null
  readonly operations: readonly string[]
}

export function activeWebhooks({ database }: RecordRoom): Promise<readonly Webhook[]> {
  return database.rows<Webhook>(sql`
    select w.sys_id::text as id, w.run_as::text as owner, coalesce(w.operations, '{}') as operations,
           case when cardinality(w.tables) > 0
             then coalesce((select array_agg(t.name) from docket.sys_db_table t where t.sys_id::text = any(w.tables)), '{}') end as tables
    from docket.sys_webhook w where w.active order by w.sys_id`)
}

/** Changes looked at in one transaction. */
const atOnce = 200

/**
 * Turns what came since into deliveries, in the transaction that remembers up to where: each change becomes exactly one,
 * whichever process does it and wherever it dies. Somebody else at the same webhook has it done.
 */
export async function queueDeliveries(
  { room, watch }: QueueRoom,
  webhook: Webhook,
  stopping?: AbortSignal,
): Promise<void> {
  const upTo = await watch.now()
  for (let goesOn = true; goesOn && stopping?.aborted !== true; ) {
    const holder = webhook.owner === null ? undefined : await loadPrincipal(room.database, webhook.owner)
    if (!holder?.isActive) return
    goesOn = await room.database.inTransaction((session) => queueSome(session, { room, webhook, holder, upTo }))
  }
}

interface Queueing {
  readonly room: RecordRoom
  readonly webhook: Webhook
  readonly holder: LoadedPrincipal
  readonly upTo: string
}

/** @returns whether there is more to do */
async function queueSome(session: Session, queueing: Queueing): Promise<boolean> {
  const { room, webhook, upTo } = queueing
  const [held] = await session.rows<{ position: string }>(sql`
    select position::text from docket_system.webhook where webhook_id = ${webhook.id}::bigint for update skip locked`)
  if (held === undefined) return false
  const renewed = await renewLetters(session, queueing)
  if (renewed === 'again') return true
  if (BigInt(held.position) >= BigInt(upTo)) return false
  const page = await visibleChanges(room, { ...askedBy(queueing), after: held.position, upTo, most: atOnce })
  if (page.kind === 'identity-changed') return true
  const ids = await readEventIds(room.database)
  const events = page.changes.map((change) => ({ position: change.position, event: changeEvent(change, ids) }))
  await session.rows(sql`
    insert into docket.sys_webhook_delivery (webhook, position, event_id, table_id, record_id, payload, run_as)
    select ${webhook.id}::bigint, (e ->> 'position')::bigint, e #>> '{event,id}', t.sys_id, e #>> '{event,sys_id}',
           e -> 'event', ${webhook.owner}::bigint
    from jsonb_array_elements(${JSON.stringify(events)}::jsonb) as e left join docket.sys_db_table t on t.name = e #>> '{event,table}'
    on conflict (webhook, position) do nothing`)
  await session.rows(sql`
    update docket_system.webhook set position = ${page.reached}::bigint where webhook_id = ${webhook.id}::bigint`)
  return true
}

function askedBy({ webhook, holder }: Queueing): Omit<ChangesAsked, 'after' | 'upTo' | 'most'> {
  return {
    principal: holder.principal,
    identityEpoch: holder.identityEpoch,
    tables: webhook.tables === null ? null : new Set(webhook.tables),
    operations: webhook.operations.length === 0 ? null : new Set(webhook.operations as readonly ChangeOperation[]),
    run: runUngated,
  }
}

/**
 * Letters on their way that were written for somebody else hold what that one may read: who takes a webhook over, and has its
 * letters sent elsewhere, gets what they may read themselves.
 */
async function renewLetters(session: Session, queueing: Queueing): Promise<'done' | 'again'> {
  const { room, webhook } = queueing
  const letters = await session.rows<{ id: string; position: string }>(sql`
    select sys_id::text as id, position::text from docket.sys_webhook_delivery
    where webhook = ${webhook.id}::bigint and state = 'pending' and run_as is distinct from ${webhook.owner}::bigint
    order by position limit ${atOnce}`)
  const ids = await readEventIds(room.database)
  for (const { id, position } of letters) {
    const after = String(BigInt(position) - 1n)
    const page = await visibleChanges(room, { ...askedBy(queueing), after, upTo: position, most: 1 })
    if (page.kind === 'identity-changed') return 'again'
    const [change] = page.changes
    const payload = change === undefined ? null : JSON.stringify(changeEvent(change, ids))
    await session.rows(
      payload === null
        ? sql`update docket.sys_webhook_delivery set state = 'dead', next_attempt_at = null,
            error = 'the user whose rights the webhook runs with may not read this change, or it is no longer kept' where sys_id = ${id}::bigint`
        : sql`update docket.sys_webhook_delivery set payload = ${payload}::jsonb, run_as = ${webhook.owner}::bigint where sys_id = ${id}::bigint`,
    )
  }
  return letters.length === atOnce ? 'again' : 'done'
}
