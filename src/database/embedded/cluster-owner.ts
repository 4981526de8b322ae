import pg from 'pg'
import { LOCKS } from '../advisory-locks.ts'

/**
 * The one Docket that a cluster belongs to holds an advisory lock in it for as long as it lives. The lock is PostgreSQL's
 * and ends with the connection, so it knows no stale files and no process numbers that were used again; a server on which
 * nobody holds it was left behind by a Docket that was killed.
 */
export interface ClusterOwner {
  /** For statements about whole databases. */
  readonly client: pg.Client
  release(): Promise<void>
}

export type OwnerOutcome =
  | { readonly kind: 'owned'; readonly owner: ClusterOwner }
  | { readonly kind: 'taken'; readonly ownerProcessId: number | undefined }
  /** No server responds there, or it ended meanwhile. */
  | { readonly kind: 'unreachable'; readonly error: unknown }

const ownerName = 'docket owner '

/** @param url the cluster's database `postgres` */
export async function becomeOwner(url: string): Promise<OwnerOutcome> {
  const client = new pg.Client({ connectionString: url, application_name: `${ownerName}${process.pid}` })
  // A server that ends is noticed by its process; this connection only goes with it.
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
