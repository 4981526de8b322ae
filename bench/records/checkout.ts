import type * as Cases from './cases.ts'
import type * as Seed from './seed.ts'
import type * as Servers from './servers.ts'
import type { BenchDatabase, Target } from './servers.ts'

/** A checkout with its server, and its data in a PostgreSQL of its own. */
export interface Checkout {
  readonly name: string
  readonly database: BenchDatabase
  readonly seeded: Seed.Seeded
  readonly docket: Target
  readonly cases: readonly Cases.Case[]
}

export interface CheckoutOptions {
  readonly name: string
  /** Absolute path. */
  readonly folder: string
  readonly size: Parameters<typeof Seed.seed>[1]
}

/** Each checkout seeds and starts by its own code: their schemas differ. */
export async function startCheckout(
  { name, folder, size }: CheckoutOptions,
  started: AsyncDisposableStack,
): Promise<Checkout> {
  const { startPostgres, startDocket } = (await import(`${folder}/bench/records/servers.ts`)) as typeof Servers
  const { seed } = (await import(`${folder}/bench/records/seed.ts`)) as typeof Seed
  const { recordCases } = (await import(`${folder}/bench/records/cases.ts`)) as typeof Cases
  const database = await (await startPostgres(started))('bench')
  console.log(`${name}: ${size.tasks} tasks in PostgreSQL ${database.version} …`)
  const seeded = await seed(database.database, size)
  return { name, database, seeded, docket: await startDocket(database, started), cases: recordCases(seeded) }
}

export function caseOf({ cases }: Checkout, name: string): Cases.Case {
  const found = cases.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no case ${name}`)
  return found
}
