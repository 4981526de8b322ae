import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { cleanUps } from './still-running.ts'

const programs = '/usr/lib/postgresql/15/bin'

/** The PostgreSQL of Debian 12: the embedded one has no pg_basebackup. */
export const postgres15IsInstalled = existsSync(join(programs, 'pg_basebackup'))

/** A primary, its standby by streaming replication, and an address that forwards to one of them. */
export interface PostgresPair {
  /** The address for Docket. It forwards to the primary at first. */
  readonly url: string
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  /** The standby receives what the primary commits, but does not apply it until `continueReplay`. */
  holdReplay(): Promise<void>
  continueReplay(): Promise<void>
  /** The standby receives nothing from now on. Resolves when it has applied all that it received. */
  cutReplication(): Promise<void>
  /** Resolves when the standby has applied all that the primary has committed. */
  standbyHasAll(): Promise<void>
  /** Kills the primary. The standby becomes the primary, and the address forwards to it. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresServer {
  readonly url: string
  readonly port: number
  /** Runs one statement on a separate connection. */
  query<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]>
  kill(): Promise<void>
}

/** PostgreSQL does not run as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null
const run = promisify(execFile)
const living = new Set<ChildProcess>()

cleanUps.add(async () => {
  const left = [...living].map(({ pid }) => `PostgreSQL 15, process ${pid}`)
  for (const child of living) child.kill('SIGKILL')
  return left
})

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'docket-pair-'))
  if (account !== null) chownSync(folder, account.uid, account.gid)
  const program = (name: string, words: readonly string[]) =>
    run(join(programs, name), [...words], { cwd: folder, ...account })
  const data = { primary: join(folder, 'primary'), standby: join(folder, 'standby') }
  await program('initdb', [
    '-D',
    data.primary,
    '-U',
    'docket',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ])
  writeFileSync(join(data.primary, 'postgresql.auto.conf'), settingsOf(folder), { flag: 'a' })
  const primary = await startServer(data.primary)
  await primary.query('create database desk')
  const source = `postgres://docket@127.0.0.1:${primary.port}/postgres`
  await program('pg_basebackup', ['-D', data.standby, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'])
  const standby = await startServer(data.standby)
  const forwarder = await startForwarder(primary.port)

  const standbyHasAll = async (): Promise<void> => {
    const [at] = await primary.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
    await until(standby, `select pg_last_wal_replay_lsn() >= '${at?.lsn}'::pg_lsn as is_so`)
  }
  return {
    url: `postgres://docket@127.0.0.1:${forwarder.port}/desk`,
    primary,
    standby,
    standbyHasAll,
    async holdReplay() {
      await standbyHasAll()
      await standby.query('select pg_wal_replay_pause()')
      await until(standby, `select pg_get_wal_replay_pause_state() = 'paused' as is_so`)
    },
    async continueReplay() {
      await standby.query('select pg_wal_replay_resume()')
      await standbyHasAll()
    },
    async cutReplication() {
      await standby.query(`alter system set primary_conninfo = ''`)
      await standby.query('select pg_reload_conf()')
      await until(standby, 'select not exists (select from pg_stat_wal_receiver) as is_so')
      await until(standby, 'select pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() as is_so')
    },
    async failOver() {
      await primary.kill()
      await standby.query('select pg_promote()')
      forwarder.leadTo(standby.port)
    },
    async stop() {
      await forwarder.stop()
      await primary.kill()
      await standby.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function settingsOf(folder: string): string {
  const settings = {
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: `'${folder}'`,
    fsync: 'off',
    max_connections: '100',
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}

/** Other tests open ports at the same time, too: if one has taken the port before PostgreSQL, it gets another one. */
async function startServer(dataDirectory: string): Promise<PostgresServer> {
  for (;;) {
    const started = await startAt(dataDirectory, await freePort())
    if (typeof started !== 'string') return started
    if (!started.includes('Address already in use')) throw new Error(`PostgreSQL did not start: ${started}`)
  }
}

/** @returns what PostgreSQL wrote before it ended, if it did not start */
async function startAt(dataDirectory: string, port: number): Promise<PostgresServer | string> {
  mkdirSync(dataDirectory, { recursive: true })
  const child = spawn(join(programs, 'postgres'), ['-D', dataDirectory, '-p', String(port)], {
    cwd: dataDirectory,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  })
  living.add(child)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      living.delete(child)
      resolve()
    }),
  )
  const outputEnds = new Promise((resolve) => child.once('close', resolve))
  const server: PostgresServer = {
    url: `postgres://docket@127.0.0.1:${port}/desk`,
    port,
    query: (text) => queryAt(`postgres://docket@127.0.0.1:${port}/postgres`, text),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
  for (;;) {
    const isReady = server.query('select 1').then(
      () => true,
      () => false,
    )
    // Whoever has taken the port may not respond.
    const isReadyNow = await Promise.race([isReady, ended.then(() => false)])
    if (child.exitCode !== null) {
      await outputEnds
      return output
    }
    if (isReadyNow) return server
    await pause(50)
  }
}

async function queryAt<Row extends pg.QueryResultRow>(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function until(server: PostgresServer, question: string): Promise<void> {
  while ((await server.query<{ is_so: boolean }>(question))[0]?.is_so !== true) await pause(20)
}

interface Forwarder {
  readonly port: number
  /** New connections go to this port; open connections do not change. */
  leadTo(port: number): void
  stop(): Promise<void>
}

/** Acts as a virtual IP address, or as a proxy that knows which server is the primary. */
async function startForwarder(firstTarget: number): Promise<Forwarder> {
  let target = firstTarget
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = createConnection(target, '127.0.0.1')
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      target = port
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
