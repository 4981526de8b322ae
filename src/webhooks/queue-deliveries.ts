import { sql } from 'kysely'
import { loadPrincipal } from '../identity/load-principal.ts'
import { changeEvent } from '../records/changes/change-event.ts'
import { type ChangeOperation, visibleChanges } from '../records/changes/visible-changes.ts'
import type { RecordRoom } from '../records/record-room.ts'

export interface Webhook {
  readonly id: string
  /** Whoever wrote the webhook last: it is told what they may read. */
  readonly owner: string | null
  /** Names. */
  readonly tables: readonly string[]
  readonly operations: readonly string[]
}

export function activeWebhooks({ database }: RecordRoom): Promise<readonly Webhook[]> {
  return database.rows<Webhook>(sql`
    select w.sys_id::text as id, w.sys_updated_by::text as owner, coalesce(w.operations, '{}') as operations,
           coalesce((select array_agg(t.name) from docket.sys_db_table t where t.sys_id::text = any(w.tables)), '{}') as tables
    from docket.sys_webhook w where w.active order by w.sys_id`)
}

/** Changes looked at in one transaction. */
const atOnce = 200

/**
 * Turns what came since into deliveries, in the transaction that remembers up to where: each change becomes exactly one,
 * whichever process does it and wherever it dies. Somebody else at the same webhook has it done.
 */
export async function queueDeliveries(room: RecordRoom, webhook: Webhook): Promise<void> {
  const holder = webhook.owner === null ? undefined : await loadPrincipal(room.database, webhook.owner)
  if (!holder?.isActive) return
  const { principal } = holder
  for (let goesOn = true; goesOn; ) {
    goesOn = await room.database.inTransaction(async (session) => {
      const [held] = await session.rows<{ position: string }>(sql`
        select position::text from docket_system.webhook where webhook_id = ${webhook.id}::bigint for update skip locked`)
      if (held === undefined) return false
      const { changes, reached } = await visibleChanges(room, {
        principal,
        after: held.position,
        tables: webhook.tables.length === 0 ? null : new Set(webhook.tables),
        operations: webhook.operations.length === 0 ? null : new Set(webhook.operations as readonly ChangeOperation[]),
        most: atOnce,
      })
      if (reached === held.position) return false
      const events = changes.map((change) => ({ ...changeEvent(change) }))
      await session.rows(sql`
        insert into docket.sys_webhook_delivery (webhook, event_id, table_id, record_id, payload)
        select ${webhook.id}::bigint, (e ->> 'id')::bigint, t.sys_id, e ->> 'sys_id', e
        from jsonb_array_elements(${JSON.stringify(events)}::jsonb) as e left join docket.sys_db_table t on t.name = e ->> 'table'
        on conflict (webhook, event_id) do nothing`)
      await session.rows(sql`
        update docket_system.webhook set position = ${reached}::bigint where webhook_id = ${webhook.id}::bigint`)
      return true
    })
  }
}
