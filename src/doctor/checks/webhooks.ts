import { countOf } from '../../kernel/count-of.ts'
import { sql } from '../../kernel/sql.ts'
import { type Check, type DatabaseGround, type Finding, listNames } from '../check.ts'

/** Webhooks that send nothing, and deliveries that were given up. */
export const checkWebhooks: Check<DatabaseGround> = {
  name: 'webhooks',
  async run({ database }) {
    const rows = await database.rows(sql<WebhookRow>`
      select w.sys_id::text as id, w.name, coalesce(w.active, false) as is_active,
             coalesce((select u.active from docket."user" u where u.sys_id = w.run_as), false) as has_owner,
             (select count(*) from docket.sys_webhook_delivery d where d.webhook = w.sys_id and d.state = 'dead')::int as dead
      from docket.sys_webhook w order by w.sys_id`)
    const silent = rows.filter(({ is_active, has_owner }) => is_active && !has_owner)
    const given = rows.filter(({ dead }) => dead > 0)
    return {
      summary: `${rows.length}`,
      findings: [
        ...(silent.length === 0 ? [] : [withoutOwner(silent)]),
        ...(given.length === 0 ? [] : [deadOf(given)]),
      ],
    }
  },
}

interface WebhookRow {
  readonly id: string
  readonly name: string
  readonly is_active: boolean
  readonly has_owner: boolean
  readonly dead: number
}

const withoutOwner = (rows: readonly WebhookRow[]): Finding => ({
  fault: 'webhook-without-owner',
  what: countOf(
    rows.length,
    'active webhook sends nothing: run_as is empty or names a user who is not active',
    'active webhooks send nothing: run_as is empty or names a user who is not active',
  ),
  where: listNames(rows.map(({ name, id }) => `${name} (sys_webhook ${id})`)),
  cure: `PATCH /rest/v1/table/sys_webhook/${rows[0]?.id} {"run_as":"SYS_ID of a user"}, or set its url again`,
})

const deadOf = (rows: readonly WebhookRow[]): Finding => ({
  fault: 'delivery-dead',
  what: countOf(
    rows.reduce((sum, { dead }) => sum + dead, 0),
    'delivery was given up after all attempts',
    'deliveries were given up after all attempts',
  ),
  where: listNames(rows.map(({ name, dead }) => `${name} (${dead})`)),
  cure: 'read error of sys_webhook_delivery with state=dead, then POST /rest/v1/webhook_deliveries/{sys_id}/resend',
})
