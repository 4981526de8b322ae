import type { SpawnOptions } from 'node:child_process'
import type { Cluster } from './cluster.ts'
import type { OperatingAccount } from './operating-account.ts'

/**
 * How every PostgreSQL program is spawned: inside its data directory, as the account, with none of the PG* variables of
 * the caller, and in its own session, so that Ctrl-C reaches Docket alone and running requests can finish first.
 */
export function postgresSpawnOptions(cluster: Cluster, account: OperatingAccount | undefined) {
  return {
    cwd: cluster.dataDirectory,
    detached: true,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(account && { uid: account.uid, gid: account.gid }),
  } as const satisfies SpawnOptions
}

/**
 * The path of the data directory for PostgreSQL. Another account may not be able to access its parent folders; the working directory is
 * accessible nevertheless, because Docket entered it as root before it dropped its privileges, and PostgreSQL never leaves it
 * (docs/decisions/0001-embedded-postgresql-under-root.md).
 */
export function dataDirectoryArgument(cluster: Cluster, account: OperatingAccount | undefined): string {
  return account === undefined ? cluster.dataDirectory : '/proc/self/cwd'
}
