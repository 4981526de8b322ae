import { join } from 'node:path'

/** Where an embedded cluster keeps its things; all of it belongs to the account that PostgreSQL runs as. */
export interface Cluster {
  /** `postgres` inside the data directory. */
  readonly directory: string
  /** PostgreSQL's own data directory. */
  readonly dataDirectory: string
  readonly passwordFile: string
  readonly logFile: string
}

export function clusterIn(directory: string): Cluster {
  return {
    directory,
    dataDirectory: join(directory, 'cluster'),
    passwordFile: join(directory, 'password'),
    logFile: join(directory, 'postgres.log'),
  }
}

/** The superuser and the database of every embedded cluster. */
export const clusterUser = 'docket'
export const clusterDatabase = 'docket'
/** Only names the socket file: the server listens on no network port, except where sockets are impossible. */
export const clusterPort = 5432
