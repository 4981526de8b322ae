import type pg from 'pg'

/** Names and values of PostgreSQL's settings that every statement of Docket relies on. */
export type SessionSettings = readonly (readonly [name: string, value: string])[]

export function sessionSettings(options: {
  readonly statementTimeoutMs: number
  readonly isReadOnly?: true
}): SessionSettings {
  return [
    ['search_path', 'docket, docket_system'],
    ['timezone', 'UTC'],
    ['datestyle', 'ISO'],
    ['statement_timeout', String(options.statementTimeoutMs)],
    ['jit', 'off'],
    // Referenced rows are looked up one by one in memory or flash, not by full scans.
    ['random_page_cost', '1.1'],
    ...(options.isReadOnly ? ([['default_transaction_read_only', 'on']] as const) : []),
  ]
}

/** Settings without which results would be wrong; PostgreSQL returns their values unchanged. */
const verified: ReadonlySet<string> = new Set(['search_path', 'timezone'])

/**
 * Sets them on a new connection, in one round trip. They are not sent when the connection is opened, because poolers reject the startup
 * parameter `options`.
 *
 * @throws Error if the server returns another value
 */
export async function applySettings(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  const { rows } = await client.query({ text: settingsStatement(settings, 'session'), rowMode: 'array' })
  const found: readonly unknown[] = rows[0] ?? []
  for (const [at, [name, value]] of settings.entries()) {
    if (verified.has(name) && found[at] !== value)
      throw new Error(`the connection has ${name} = ${String(found[at])} instead of ${value}`)
  }
}

/** @param scope `transaction`: until the end of the transaction that runs it */
export function settingsStatement(settings: SessionSettings, scope: 'session' | 'transaction'): string {
  const calls = settings.map(([name, value]) => `set_config('${name}', '${value}', ${scope === 'transaction'})`)
  return `select ${calls.join(', ')}`
}
