/**
 * Removes old history in a process of its own, which a test may kill.
 *
 *   node test/harness/remove-history.ts <address of the database> <folder> <changes at once>
 */
import { openAttachmentStore } from '../../src/attachments/open-attachments.ts'
import { catalogSource } from '../../src/catalog/catalog-source.ts'
import { openDatabase } from '../../src/database/database.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { removeOldHistory } from '../../src/retention/remove-history.ts'

const [connectionString = '', folder = '', maxChanges = ''] = process.argv.slice(2)
const database = openDatabase({ connectionString, maxConnections: 2, statementTimeoutMs: 30_000 })
const attachments = await openAttachmentStore({ dataDir: folder, objectStore: null, clock: systemClock })
await removeOldHistory({
  records: { database, catalog: catalogSource(database), clock: systemClock },
  places: { database, attachments, folder: null },
  batch: { maxChanges: Number(maxChanges), maxBytes: 1_000_000 },
  onRemoved: () => undefined,
})
await database.close()
