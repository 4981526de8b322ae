import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../src/database/embedded/start-embedded-postgres.ts'
import { runningServer, temporaryFolder } from '../harness/spawn-docket.ts'

test('Docket can be stopped while its PostgreSQL starts again: the new server is stopped, too', async () => {
  const dataDirectory = temporaryFolder()
  const stopped = Promise.withResolvers<void>()
  let starts = 0
  const server = await startEmbeddedPostgres({
    dataDirectory,
    maxConnections: 20,
    isDurable: false,
    observe({ kind }) {
      if (kind === 'database-started') starts += 1
      // It responds to clients already, and whoever keeps it running does not know it yet.
      if (kind === 'database-started' && starts === 2) stopped.resolve(server.stop())
    },
    onLost: stopped.reject,
  })
  process.kill(runningServer(dataDirectory) ?? 0, 'SIGKILL')
  await stopped.promise
  expect(starts).toBe(2)
  expect(runningServer(dataDirectory)).toBeUndefined()
}, 60_000)
