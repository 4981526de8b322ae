import { join } from 'node:path'

/** Paths of an embedded cluster; all of them belong to the account that PostgreSQL runs as. */
export interface Cluster {
  /** `postgres` inside the data directory. */
  readonly directory: string
  /** PostgreSQL's own data directory. */
  readonly dataDirectory: string
  /** Password of `clusterUser`. */
  readonly passwordFile: string
  /** Password of `bootstrapUser`. Missing in a cluster of an older Docket, whose only role was a superuser (cluster-roles.ts). */
  readonly bootstrapPasswordFile: string
  readonly logFile: string
}

export function clusterIn(directory: string): Cluster {
  return {
    directory,
    dataDirectory: join(directory, 'cluster'),
    passwordFile: join(directory, 'password'),
    bootstrapPasswordFile: join(directory, 'bootstrap-password'),
    logFile: join(directory, 'postgres.log'),
  }
}

/** Docket's role and database. The role owns the database and is not a superuser. */
export const clusterUser = 'docket'
export const clusterDatabase = 'docket'
/** The superuser: it creates role and database when the server starts, and holds the owner's lock. */
export const bootstrapUser = 'docket_bootstrap'
/** Only part of the name of the socket file: the server listens on no network port, unless sockets are not supported. */
export const clusterPort = 5432
