import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { buildScript } from '../../src/config/console-build.ts'
import { clusterIn } from '../../src/database/embedded/cluster.ts'
import { readPostmasterFile } from '../../src/database/embedded/postmaster-file.ts'
import { isAlive, mayWorkIn } from '../../src/database/embedded/processes.ts'
import { stopPostgres } from '../../src/database/embedded/run-postgres.ts'
import { startEmbeddedPostgres } from '../../src/database/embedded/start-embedded-postgres.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a database on the server of this test run, as a user who may create databases. */
    readonly testServerUrl: string
    /** The prefix of the name of every database of this run. */
    readonly testDatabasePrefix: string
  }
}

const folderPrefix = 'docket-test-'

/** One PostgreSQL for the whole run: DOCKET_TEST_DATABASE_URL, or a private one that is removed afterwards. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Once for the run: otherwise each server without a built console would build it during the tests.
  execFileSync(process.execPath, [buildScript], { stdio: 'inherit' })
  const external = process.env['DOCKET_TEST_DATABASE_URL']
  const server = external === undefined ? await startPrivateServer() : { url: external, stop: async () => undefined }
  const prefix = `docket_test_${process.pid}_`
  project.provide('testServerUrl', server.url)
  project.provide('testDatabasePrefix', prefix)
  return async () => {
    const left = await dropTestDatabases(server.url, prefix)
    await server.stop()
    if (left.length > 0) throw new Error(`tests left databases behind: ${left.join(', ')}`)
  }
}

async function startPrivateServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  await sweepAbandoned()
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  const server = await startEmbeddedPostgres({
    dataDirectory: folder,
    maxConnections: 200,
    isDurable: false,
    observe: observeNothing,
    onLost: (failure) => {
      throw failure
    },
  })
  return {
    url: server.bootstrapConnectionString('postgres'),
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Stops servers and removes folders of test runs that were killed. */
async function sweepAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    const runner = Number(name.slice(folderPrefix.length).split('-')[0])
    if (!Number.isInteger(runner) || isAlive(runner)) continue
    const cluster = clusterIn(join(tmpdir(), name, 'postgres'))
    const server = readPostmasterFile(cluster)
    if (server !== undefined && mayWorkIn(server.processId, cluster.dataDirectory)) await stopPostgres(server.processId)
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

/** Drops all databases of the run. @returns the names of those that a test file did not drop; templates are not among them */
async function dropTestDatabases(url: string, prefix: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    )
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`)
    return rows.map(({ datname }) => datname).filter((name) => !name.startsWith(`${prefix}template_`))
  } finally {
    await client.end()
  }
}
