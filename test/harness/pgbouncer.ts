import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** `DOCKET_TEST_PGBOUNCER` names another PgBouncer than that of the system. */
const program =
  process.env['DOCKET_TEST_PGBOUNCER'] ??
  ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) => existsSync(path))

export const pgbouncerIsInstalled = program !== undefined

/** From 1.21 on, PgBouncer prepares a named statement on whichever connection a transaction gets. */
export const pgbouncerFollowsNames = program !== undefined && followsNames(program)

function followsNames(path: string): boolean {
  const [, major, minor] = /^PgBouncer (\d+)\.(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}

/** The user id of `nobody`, used if the server is on another machine. */
const nobody = 65_534

export interface Pooler {
  /** The address of the database through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * A PgBouncer in front of a test's database, with so few connections that clients share them.
 *
 * @param poolMode how long a client keeps a connection of the server
 */
export async function startPgbouncer(databaseUrl: string, poolMode: 'session' | 'transaction'): Promise<Pooler> {
  const server = serverOf(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'docket-pgbouncer-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  // PgBouncer does not run as root. It reaches the socket in the server's folder only as its own working directory.
  const owner = server.folder === undefined ? undefined : statSync(server.folder)
  const account = process.getuid?.() === 0 ? { uid: owner?.uid || nobody, gid: owner?.gid || nobody } : undefined
  writeFileSync(
    file,
    `[databases]
* = host=${server.folder === undefined ? server.host : '/proc/self/cwd'} port=${server.port} user=${server.user} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolMode === 'session' ? 40 : 3}
max_client_conn = 200
${pgbouncerFollowsNames ? 'max_prepared_statements = 100\n' : ''}`,
    { mode: 0o600 },
  )
  if (account !== undefined) {
    chownSync(folder, account.uid, account.gid)
    chownSync(file, account.uid, account.gid)
  }
  const child = spawn(program ?? 'pgbouncer', [file], {
    cwd: server.folder ?? folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGQUIT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `postgres://docket@127.0.0.1:${port}/${server.database}`
  try {
    await reachable(url)
  } catch (error) {
    await stop()
    throw new Error(`PgBouncer did not start: ${output}`, { cause: error })
  }
  return { url, stop }
}

function serverOf(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const folder = url.searchParams.get('host')
  return {
    folder: folder ?? undefined,
    host: url.hostname,
    port: url.port === '' ? '5432' : url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  }
}

async function reachable(url: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      await client.end().catch(() => undefined)
      if (attempt >= 50) throw error
      await pause(100)
    }
  }
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
