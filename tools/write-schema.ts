/**
 * Writes migrations/schema.sql from a new database: the schema after all migrations, for people to read. It is never executed.
 * test/flow/schema-file.test.ts checks that it is current.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onCopyConnection } from '../src/database/copy-connection.ts'
import { startEmbeddedPostgres } from '../src/database/embedded/start-embedded-postgres.ts'
import { migrate } from '../src/database/migrations.ts'
import { observeNothing } from '../src/telemetry/observation.ts'
import { schemaText } from './schema-text.ts'

const path = fileURLToPath(new URL('../migrations/schema.sql', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'docket-schema-'))
const server = await startEmbeddedPostgres({
  dataDirectory: folder,
  maxConnections: 10,
  observe: observeNothing,
  onLost: (failure) => {
    throw failure
  },
})
try {
  const connectionString = server.connectionString()
  await migrate({ connectionString, observe: observeNothing })
  writeFileSync(path, await onCopyConnection(connectionString, 'docket schema', schemaText))
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
