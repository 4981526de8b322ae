import pg from 'pg'
import { LOCKS } from '../advisory-locks.ts'

/**
 * The Docket process that owns a cluster holds an advisory lock in it for its lifetime. PostgreSQL releases the lock with the connection,
 * so there are no stale files and no reused process ids; if nobody holds the lock of a running server, a killed Docket left the server
 * behind.
 */
export interface ClusterOwner {
  /** For statements on whole databases. */
  readonly client: pg.Client
  release(): Promise<void>
}

export type OwnerOutcome =
  | { readonly kind: 'owned'; readonly owner: ClusterOwner }
  | { readonly kind: 'taken'; readonly ownerProcessId: number | undefined }
  /** No server responds, or it ended meanwhile. */
  | { readonly kind: 'unreachable'; readonly error: unknown }

const ownerName = 'docket owner '

/** @param url the cluster's database `postgres` */
export async function becomeOwner(url: string): Promise<OwnerOutcome> {
  const client = new pg.Client({ connectionString: url, application_name: `${ownerName}${process.pid}` })
  // The end of the server is noticed by its process; this connection just ends with it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const locked = await client.query('select pg_try_advisory_lock($1) as is_ours', [LOCKS.clusterOwner])
    if (locked.rows[0]?.is_ours === true) return { kind: 'owned', owner: { client, release: () => client.end() } }
    const ownerProcessId = await findOwner(client)
    await client.end()
    return { kind: 'taken', ownerProcessId }
  } catch (error) {
    await client.end().catch(() => undefined)
    return { kind: 'unreachable', error }
  }
}

async function findOwner(client: pg.Client): Promise<number | undefined> {
  const found = await client.query(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and granted and (classid::int8 << 32) + objid::int8 = $1`,
    [LOCKS.clusterOwner],
  )
  const name: unknown = found.rows[0]?.application_name
  return typeof name === 'string' && name.startsWith(ownerName) ? Number(name.slice(ownerName.length)) : undefined
}
