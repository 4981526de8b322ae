import type { Catalog } from '../catalog/catalog.ts'
import type { PermittedRequest } from './authorize/permitted-request.ts'

/** docs/spec/records.md, section 3: 0 means up to the cap, and above the cap the cap. */
export function limitOf({ request, catalog }: PermittedRequest): { readonly rows: number; readonly clamped: boolean } {
  const cap = capOf(Number(catalog.properties.get('rest.limit.max')))
  const { limit } = request.paging
  return { rows: limit === 0 ? cap : Math.min(limit, cap), clamped: limit > cap }
}

/** Records of one bulk request. The events of all others wait for the end of its transaction. */
export function bulkLimitOf({ properties }: Pick<Catalog, 'properties'>): number {
  const property = Number(properties.get('rest.bulk.max'))
  return property >= 1 ? Math.min(Math.floor(property), MAX_BULK) : 1_000
}

/** docs/spec/records.md, section 3: totals of lists are exact up to this number of rows. */
export function countLimitOf({ properties }: Pick<Catalog, 'properties'>): number {
  const property = Number(properties.get('rest.count.max'))
  return property >= 1 ? Math.min(Math.floor(property), MAX_COUNTED) : 10_000
}

export const MAX_COUNTED = 1_000_000

export const MAX_BULK = 10_000

/** A page is one text in memory, however many rows an administrator wishes for. */
const MAX_ROWS = 1_000_000

/** A property that makes no sense must not make every list fail. */
function capOf(property: number): number {
  return property >= 1 ? Math.min(Math.floor(property), MAX_ROWS) : 10_000
}
