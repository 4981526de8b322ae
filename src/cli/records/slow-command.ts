import type { Command } from 'commander'
import { catalogSource } from '../../catalog/catalog-source.ts'
import type { Database } from '../../database/database.ts'
import { clearSlowRequests, listSlowRequests } from '../../records/slow/list-slow-requests.ts'
import { asWhole } from '../option-values.ts'
import { withDatabase } from '../with-database.ts'
import { printSlowRequests } from './print-slow-requests.ts'

interface SlowOptions {
  readonly table?: string
  readonly limit: number
  readonly json?: true
  readonly clear?: true
}

/** `docket records slow` */
export function registerSlow(records: Command): void {
  records
    .command('slow')
    .description('list the shapes of slow record requests, and the indexes that would serve them; no values are kept')
    .option('--table <name>', 'only requests to this table')
    .option('--limit <number>', 'shapes, those that took the most time in all first', asWhole(1, 1_000), 20)
    .option('--json', 'print the shapes as JSON')
    .option('--clear', 'forget all shapes, as after new indexes')
    .action((options: SlowOptions) => withDatabase((database) => run(database, options)))
}

async function run(database: Database, { table, limit, json, clear }: SlowOptions): Promise<void> {
  if (clear) return console.log(`Forgot ${await clearSlowRequests(database)} shapes of requests.`)
  const catalog = await catalogSource(database).current()
  const shapes = await listSlowRequests(database, catalog, { table: table ?? null, limit })
  console.log(json ? JSON.stringify(shapes, null, 2) : printSlowRequests(shapes))
}
