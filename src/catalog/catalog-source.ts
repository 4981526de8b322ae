import type { Database } from '../database/database.ts'
import type { Catalog } from './catalog.ts'
import { loadCatalog } from './load-catalog.ts'

/** The process's snapshot of the dictionary, and the way to a newer one. */
export interface CatalogSource {
  /** The snapshot at hand; reads the first. */
  current(): Promise<Catalog>
  /** Reads the dictionary anew. Calls that come while it is being read may get what was read before they came. */
  refresh(): Promise<Catalog>
  /** Asks the database whether a snapshot still holds: before a refusal is sent that stands on it. */
  isCurrent(catalog: Catalog): Promise<boolean>
}

const EPOCH = { name: 'docket_catalog_epoch', text: 'select catalog::text from docket_system.epoch' }

export function catalogSource(database: Database): CatalogSource {
  let known: Catalog | undefined
  let reading: Promise<Catalog> | undefined

  const refresh = (): Promise<Catalog> => {
    reading ??= loadCatalog(database)
      .then((catalog) => {
        known = catalog
        return catalog
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  return {
    current: () => (known === undefined ? refresh() : Promise.resolve(known)),
    refresh,
    async isCurrent(catalog) {
      const [row] = await database.run(EPOCH, [])
      return row?.[0] === catalog.epoch
    },
  }
}
