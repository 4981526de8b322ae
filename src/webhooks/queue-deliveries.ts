import type { Session } from '../database/database.ts'
import { type LoadedPrincipal, loadPrincipal } from '../identity/load-principal.ts'
import { runUngated } from '../kernel/run-gated.ts'
import { sql } from '../kernel/sql.ts'
import { readEventIds } from '../records/changes/event-ids.ts'
import { type ChangeOperation, type ChangesRequest, visibleChanges } from '../records/changes/visible-changes.ts'
import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import type { RecordDeps } from '../records/record-deps.ts'

export interface QueueDeps {
  readonly deps: RecordDeps
  readonly watch: Pick<ChangeWatch, 'now'>
  /** Called with the sys_id of a webhook that had not read changes which are no longer kept. */
  readonly onMissed: (webhookId: string) => void
}

export interface Webhook {
  readonly id: string
  /** The run-as principal: deliveries contain what this user may read. null: nobody has taken over the webhook yet. */
  readonly owner: string | null
  /** Table names; null: all. Tables that no longer exist are left out. */
  readonly tables: readonly string[] | null
  readonly operations: readonly string[]
}

/** @param id null: all */
export function activeWebhooks({ database }: RecordDeps, id: string | null = null): Promise<readonly Webhook[]> {
  return database.rows<Webhook>(sql`
    select w.sys_id::text as id, w.run_as::text as owner, coalesce(w.operations, '{}') as operations,
           case when cardinality(w.tables) > 0
             then coalesce((select array_agg(t.name) from docket.sys_db_table t where t.sys_id::text = any(w.tables)), '{}') end as tables
    from docket.sys_webhook w where w.active and (${id}::bigint is null or w.sys_id = ${id}::bigint) order by w.sys_id`)
}

/** Changes per transaction. */
const atOnce = 200

/**
 * Turns new changes into deliveries, in the transaction that stores the sequence number. Each change becomes exactly one
 * delivery, whichever process does the work and wherever it dies. If another process holds the webhook, it does the work. A
 * delivery is filled when it is sent (current-payload.ts).
 */
export async function queueDeliveries(
  { deps, watch, onMissed }: QueueDeps,
  { id }: Pick<Webhook, 'id'>,
  stopping?: AbortSignal,
): Promise<void> {
  const upTo = await watch.now()
  for (let goesOn = true; goesOn && stopping?.aborted !== true; ) {
    // Read after `upTo`: the webhook as it is now applies to all later changes.
    const [webhook] = await activeWebhooks(deps, id)
    const runAs = webhook?.owner == null ? undefined : await loadPrincipal(deps.database, webhook.owner)
    if (webhook === undefined || !runAs?.isActive) return
    goesOn = await deps.database.inTransaction((session) =>
      queueSome(session, { deps, webhook, runAs, upTo, onMissed }),
    )
  }
}

interface Queueing {
  readonly deps: RecordDeps
  readonly webhook: Webhook
  readonly runAs: LoadedPrincipal
  readonly upTo: string
  readonly onMissed: QueueDeps['onMissed']
}

/** @returns whether there is more to do */
async function queueSome(session: Session, queueing: Queueing): Promise<boolean> {
  const { deps, webhook, upTo, onMissed } = queueing
  const [held] = await session.rows<{ position: string }>(sql`
    select position::text from docket_system.webhook where webhook_id = ${webhook.id}::bigint for update skip locked`)
  if (held === undefined) return false
  await passOnDeliveries(session, webhook)
  if (BigInt(held.position) >= BigInt(upTo)) return false
  const page = await visibleChanges(deps, { ...requestedBy(queueing), after: held.position, upTo, max: atOnce })
  if (page.kind === 'history-changed') await leaveLostHistory(session, webhook)
  if (page.kind !== 'changes') return true
  if (BigInt(page.clearedUpTo) > BigInt(held.position)) onMissed(webhook.id)
  const ids = await readEventIds(deps.database)
  const queued = page.changes.map(({ position, table, recordId }) => ({
    position,
    event_id: ids.idOf(position),
    table,
    record_id: recordId,
  }))
  await session.rows(sql`
    insert into docket.sys_webhook_delivery (webhook, position, event_id, table_id, record_id, run_as)
    select ${webhook.id}::bigint, q.position, q.event_id, t.sys_id, q.record_id, ${webhook.owner}::bigint
    from jsonb_to_recordset(${JSON.stringify(queued)}::jsonb) as q (position bigint, event_id text, "table" text, record_id text)
    left join docket.sys_db_table t on t.name = q."table"
    on conflict (webhook, position) do nothing`)
  await session.rows(sql`
    update docket_system.webhook set position = ${page.reached}::bigint where webhook_id = ${webhook.id}::bigint`)
  return true
}

/** A process had read the end of the log before a failover, and moved the webhook to it afterwards: no change is between it and the new history. */
async function leaveLostHistory(session: Session, { id }: Webhook): Promise<void> {
  await session.rows(sql`
    update docket_system.webhook w set position = (
      select max(b.first_position) from docket_system.database_history b where b.fork_position < w.position and b.first_position > w.position)
    where w.webhook_id = ${id}::bigint`)
}

function requestedBy({ webhook, runAs }: Queueing): Omit<ChangesRequest, 'after' | 'upTo' | 'max'> {
  return {
    principal: runAs.principal,
    identityEpoch: runAs.identityEpoch,
    tables: webhook.tables === null ? null : new Set(webhook.tables),
    operations: webhook.operations.length === 0 ? null : new Set(webhook.operations as readonly ChangeOperation[]),
    run: runUngated,
  }
}

/**
 * Gives waiting deliveries to the user who took over the webhook. Their bodies may contain more than this user may read, so they
 * are filled again before the next attempt.
 */
async function passOnDeliveries(session: Session, { id, owner }: Webhook): Promise<void> {
  await session.rows(sql`
    update docket.sys_webhook_delivery set payload = null, run_as = ${owner}::bigint
    where webhook = ${id}::bigint and state = 'pending' and run_as is distinct from ${owner}::bigint`)
}
