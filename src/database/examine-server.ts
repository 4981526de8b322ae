import type pg from 'pg'
import { StartFailure } from '../kernel/start-failure.ts'
import { connectOnce } from './connect-once.ts'
import { type Applied, listMigrations, listWaitingFunctions, rejectUnknownMigrations } from './migrations.ts'
import { rejectUnfinishedRestore } from './restore-marker.ts'
import { oldestMajor, rejectUnfitServer } from './server-fitness.ts'

/** The result that a start would report for a server and its schema. */
export type ServerState =
  | { readonly kind: 'current'; readonly version: string; readonly newest: string }
  /** No migration was ever applied: the first start fills the database. */
  | { readonly kind: 'empty'; readonly version: string }
  | { readonly kind: 'behind'; readonly version: string; readonly waiting: readonly string[] }
  | { readonly kind: ServerProblem; readonly sentence: string }

export type ServerProblem =
  | 'unreachable'
  | 'login-refused'
  | 'too-old'
  | 'not-utf8'
  | 'unfinished-restore'
  | 'ahead'
  | 'changed-migration'

/** Reads the state that `migrate` would find, and changes nothing. */
export async function examineServer(connectionString: string): Promise<ServerState> {
  let client: pg.Client
  try {
    client = await connectOnce(connectionString, 'docket doctor')
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error
    const { cause } = error
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    return { kind: code === '28P01' || code === '28000' ? 'login-refused' : 'unreachable', sentence: error.message }
  }
  try {
    await client.query('set default_transaction_read_only = on')
    return await examineOn(client)
  } finally {
    await client.end()
  }
}

async function examineOn(client: pg.Client): Promise<ServerState> {
  const { rows } = await client.query<{ version: string; major: number }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
  )
  const { version = '?', major = 0 } = rows[0] ?? {}
  const unfit = await rejectionOf(() => rejectUnfitServer(client))
  if (unfit !== null) return { kind: major < oldestMajor ? 'too-old' : 'not-utf8', sentence: unfit }
  const unfinished = await rejectionOf(() => rejectUnfinishedRestore(client))
  if (unfinished !== null) return { kind: 'unfinished-restore', sentence: unfinished }
  const applied = await readAppliedOf(client)
  if (applied.length === 0) return { kind: 'empty', version }
  return stateOfSchema(applied, version, () => listWaitingFunctions(client))
}

async function stateOfSchema(
  applied: readonly Applied[],
  version: string,
  functions: () => Promise<readonly string[]>,
): Promise<ServerState> {
  const known = listMigrations()
  const foreign = await rejectionOf(async () => rejectUnknownMigrations(applied))
  if (foreign !== null) {
    const isAhead = applied.some(({ name }) => !known.includes(name))
    return { kind: isAhead ? 'ahead' : 'changed-migration', sentence: foreign }
  }
  const migrations = known.slice(applied.length)
  const waiting = migrations.length > 0 ? migrations : (await functions()).map((name) => `functions/${name}`)
  if (waiting.length > 0) return { kind: 'behind', version, waiting }
  return { kind: 'current', version, newest: known.at(-1) ?? '' }
}

async function readAppliedOf(client: pg.Client): Promise<readonly Applied[]> {
  const found = await client.query<{ is_there: boolean }>(
    `select to_regclass('docket_system.migration') is not null as is_there`,
  )
  if (found.rows[0]?.is_there !== true) return []
  const { rows } = await client.query<Applied>('select name, checksum from docket_system.migration order by name')
  return rows
}

/** The error sentence of a start; null: it would continue. */
async function rejectionOf(step: () => Promise<void>): Promise<string | null> {
  try {
    await step()
    return null
  } catch (error) {
    if (error instanceof StartFailure) return error.message
    throw error
  }
}
