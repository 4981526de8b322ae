import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openAttachmentStore } from '../attachments/open-attachments.ts'
import { objectStoreOf } from '../config/object-store-of.ts'
import { readSettings } from '../config/settings.ts'
import type { BlockingReference } from '../demo/find-demo-rows.ts'
import { type DemoContents, removeDemoDesk, surveyDemoDesk } from '../demo/remove-demo-desk.ts'
import { systemClock } from '../kernel/clock.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { confirm } from './confirm.ts'
import { withDatabase } from './with-database.ts'

/** `docket demo …` */
export function registerDemoCommands(program: Command): void {
  program
    .command('demo')
    .description('manage the demo desk')
    .command('remove')
    .description('delete the demo desk: its users, tickets, files, collections, histories and rules')
    .option('--yes', 'delete without a question')
    .action(async ({ yes }: { readonly yes?: true }) => {
      await withDatabase(
        async (database) => {
          const contents = await surveyDemoDesk(database)
          if (contents === undefined) return console.log('There is no demo desk in this database.')
          rejectWhileReferenced(contents)
          console.log(describe(contents))
          if (yes !== true) await confirm({ to: 'delete', whenDeclined: 'Nothing was removed' })
          const places = storePlaces()
          const removed = await removeDemoDesk(database, {
            store: await openAttachmentStore(places),
            now: new Date(systemClock.nowMs()),
          })
          if (removed !== undefined) rejectWhileReferenced(removed)
          console.log('Removed the demo desk.')
        },
        { statementTimeoutMs: 0 },
      )
    })
}

function storePlaces() {
  const settings = readSettings()
  return { dataDir: resolve(settings.dataDir), objectStore: objectStoreOf(settings), clock: systemClock }
}

const maxReferences = 20

function rejectWhileReferenced({ blocking }: DemoContents): void {
  if (blocking.length === 0) return
  const more = blocking.length - maxReferences
  const lines = [
    `Nothing was removed: ${count(blocking.length, 'reference')} of other records lead to the demo. Change or delete these first:`,
    ...blocking.slice(0, maxReferences).map(lineOf),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ]
  throw new StartFailure(lines.join('\n'))
}

function lineOf({ table, column, sysId, label }: BlockingReference): string {
  return `  ${table.replace(/^docket\./, '')} ${sysId}${label === '' ? '' : ` (${label})`}: ${column}`
}

function describe({ rows, documents }: DemoContents): string {
  const tables = Object.entries(rows).map(([table, rowCount]) => `${table.replace(/^docket\./, '')} ${rowCount}`)
  const collections = documents.collections.map(({ name }) => name)
  return [
    'This deletes the demo desk, and what its users made:',
    `  rows: ${tables.join(', ')}`,
    `  collections: ${collections.join(', ') || 'none'}`,
    ...(documents.documents.length === 0 ? [] : [`  documents of other collections: ${documents.documents.length}`]),
    `  and the files and the history of these records. Without its ${rows['docket.sys_security_acl'] ?? 0} rules of sys_security_acl, only administrators read and write.`,
  ].join('\n')
}

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`
