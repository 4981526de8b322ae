import type { Database } from '../database/database.ts'
import { selectRows, selectStatement } from '../database/select-statement.ts'
import type { Catalog } from './catalog.ts'
import { type DictionaryReading, readDictionary } from './load-catalog.ts'

/** The snapshot of the dictionary in this process, and how to get a newer one. */
export interface CatalogSource {
  /** The snapshot at hand; reads the first. */
  current(): Catalog | Promise<Catalog>
  /** Reads what changed of the dictionary. Calls that come while it is being read may get what was read before they came. */
  refresh(): Promise<Catalog>
  /** The current snapshot if it is still valid, checked by one cheap statement; otherwise a new one. */
  upToDate(): Promise<Catalog>
  /** Checks with the database whether a snapshot is current, before an error that depends on it is sent. */
  isCurrent(catalog: Catalog): Promise<boolean>
  /**
   * Marks adopted tables as drifted, or as repaired, in the current snapshot. A mark belongs to this process, and lasts until the tables of
   * the dictionary change.
   *
   * @returns whether any mark is new
   */
  markDrifted(names: ReadonlySet<string>, isDrifted: boolean): boolean
}

const EPOCH = selectStatement<{ readonly epoch: string }>({
  name: 'docket_catalog_epoch',
  columns: { epoch: 'catalog::text' },
  from: 'from docket_system.epoch',
})

export function catalogSource(database: Database): CatalogSource {
  let known: DictionaryReading | undefined
  let reading: Promise<Catalog> | undefined

  const refresh = (): Promise<Catalog> => {
    reading ??= readDictionary(database, known)
      .then((read) => {
        known = read
        return read.catalog
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const isCurrent = async (catalog: Catalog): Promise<boolean> => {
    const [row] = await selectRows(database, EPOCH, [])
    return row?.epoch === catalog.epoch
  }
  return {
    current: () => known?.catalog ?? refresh(),
    refresh,
    upToDate: async () => (known !== undefined && (await isCurrent(known.catalog)) ? known.catalog : refresh()),
    isCurrent,
    markDrifted(names, isDrifted) {
      const marked = known === undefined ? null : withMarks(known.catalog, names, isDrifted)
      if (known === undefined || marked === null) return false
      known = { ...known, catalog: marked }
      return true
    },
  }
}

/** @returns null if nothing changes */
function withMarks(catalog: Catalog, names: ReadonlySet<string>, isDrifted: boolean): Catalog | null {
  let isNew = false
  const tables = new Map(
    [...catalog.tables].map(([name, table]) => {
      if (table.adopted === null || table.adopted.isDrifted === isDrifted || !names.has(name)) return [name, table]
      isNew = true
      return [name, { ...table, adopted: { ...table.adopted, isDrifted } }]
    }),
  )
  return isNew ? { ...catalog, tables, tablesById: new Map([...tables.values()].map((each) => [each.id, each])) } : null
}
