import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { connectionString } from '../../src/database/embedded/cluster-address.ts'
import { createCluster } from '../../src/database/embedded/create-cluster.ts'
import { chooseOperatingAccount } from '../../src/database/embedded/operating-account.ts'
import { startOwnServer } from '../../src/database/embedded/own-server.ts'
import { findPostgresPrograms } from '../../src/database/embedded/postgres-programs.ts'
import { postgresSettings } from '../../src/database/embedded/postgres-settings.ts'
import { makeProgramsReachable } from '../../src/database/embedded/reachable-programs.ts'
import { stopPostgres } from '../../src/database/embedded/run-postgres.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('where sockets are impossible the server listens on 127.0.0.1, and only the password lets in', async () => {
  const cluster = clusterIn(join(temporaryFolder(), 'postgres'))
  mkdirSync(join(cluster.directory, '..'), { recursive: true })
  const account = chooseOperatingAccount(cluster.dataDirectory)
  const programs = makeProgramsReachable(await findPostgresPrograms(), account)
  await createCluster(cluster, { programs, account, isDurable: false })
  const start = async () => {
    const address = { loopbackPort: await freePort() }
    const settings = postgresSettings({ ...address, maxConnections: 20, isDurable: false })
    const own = await startOwnServer({
      cluster,
      address,
      run: { programs, account, settings },
      observe: observeNothing,
      clock: systemClock,
    })
    return { ...own, url: connectionString(cluster, address, 'docket') }
  }
  const first = await start()
  await expect(connectTo(first.url)).resolves.toBe('127.0.0.1/32')
  const wrong = new URL(first.url)
  wrong.password = 'guessed'
  await expect(connectTo(wrong.href)).rejects.toThrow('password authentication failed')

  // Left behind by a kill: it is found by the port that it recorded, although the next start would take another one.
  await first.owner.release()
  const second = await start()
  await first.server.ended
  expect(second.server.processId).not.toBe(first.server.processId)
  await expect(connectTo(second.url)).resolves.toBe('127.0.0.1/32')
  await second.owner.release()
  await stopPostgres(second.server.processId)
})

async function connectTo(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query('select inet_server_addr()::text as address')
  await client.end()
  return rows[0].address
}
