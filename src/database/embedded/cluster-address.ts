import { openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { bootstrapUser, type Cluster, clusterPort, clusterUser } from './cluster.ts'

/** Maximum bytes of a socket path without the closing zero: 107 on Linux, 103 on macOS; the smaller one applies. */
const maxSocketPathBytes = 103

/** The address of the cluster's server: a folder with its socket, or 127.0.0.1. */
export type ClusterAddress = { readonly socketFolder: string } | { readonly loopbackPort: number }

/**
 * The socket is in the data directory, which only its owner account (and root) can access. A path too long for a socket address is
 * shortened with an open file descriptor if the system has /proc. Otherwise, and if the file system does not support sockets, as some
 * shared folders of virtual machines, the server listens on 127.0.0.1 with the cluster's password.
 */
export async function addressOf(cluster: Cluster): Promise<ClusterAddress> {
  const folder = socketFolderOf(cluster)
  return folder !== undefined && (await knowsSockets(folder))
    ? { socketFolder: folder }
    : { loopbackPort: await freePort() }
}

function socketFolderOf({ dataDirectory }: Cluster): string | undefined {
  if (Buffer.byteLength(join(dataDirectory, `.s.PGSQL.${clusterPort}`)) <= maxSocketPathBytes) return dataDirectory
  // Not /proc/self: other processes that share the port get this address.
  return process.platform === 'linux' ? `/proc/${process.pid}/fd/${descriptorOf(dataDirectory)}` : undefined
}

function knowsSockets(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE'))
    probe.listen(join(folder, `.probe.${process.pid % 10_000}`), () => probe.close(() => resolve(true)))
  })
}

const descriptors = new Map<string, number>()

/** Open for the lifetime of the process: every new connection uses it. */
function descriptorOf(folder: string): number {
  const known = descriptors.get(folder)
  if (known !== undefined) return known
  const opened = openSync(folder, 'r')
  descriptors.set(folder, opened)
  return opened
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

export interface ClusterLogin {
  readonly user: string
  readonly password: string
}

/** As Docket's role. */
export function connectionString(cluster: Cluster, address: ClusterAddress, database: string): string {
  return loginString(address, database, { user: clusterUser, password: readPassword(cluster.passwordFile) })
}

/** As the superuser. */
export function bootstrapConnectionString(cluster: Cluster, address: ClusterAddress, database: string): string {
  return loginString(address, database, { user: bootstrapUser, password: readPassword(cluster.bootstrapPasswordFile) })
}

export function loginString(address: ClusterAddress, database: string, { user, password }: ClusterLogin): string {
  const [port, query] =
    'loopbackPort' in address
      ? [address.loopbackPort, '']
      : [clusterPort, `?host=${encodeURIComponent(address.socketFolder)}`]
  return `postgres://${user}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}${query}`
}

export function readPassword(file: string): string {
  return readFileSync(file, 'utf8').trim()
}
