import type { Catalog } from '../catalog/catalog.ts'
import { DEFAULT_MAX_COUNTED, DEFAULT_MAX_ROWS } from '../contract/record-parameters.ts'
import type { AuthorizedRequest } from './authorize/authorized-request.ts'

/** docs/spec/records.md, section 3: 0 means the maximum, and a larger limit is reduced to it. */
export function limitOf({ request, catalog }: AuthorizedRequest): { readonly rows: number; readonly clamped: boolean } {
  const { limit, isInternal } = request.paging
  const cap = isInternal ? MAX_ROWS : bounded(catalog, 'rest.limit.max', { max: MAX_ROWS, fallback: DEFAULT_MAX_ROWS })
  return { rows: limit === 0 ? cap : Math.min(limit, cap), clamped: limit > cap }
}

/** Maximum records of one bulk request. Events of all other writes wait until its transaction ends. */
export function bulkLimitOf({ properties }: Pick<Catalog, 'properties'>): number {
  return bounded({ properties }, 'rest.bulk.max', { max: MAX_BULK, fallback: 1_000 })
}

/** docs/spec/records.md, section 3: totals of lists are exact up to this number of rows. */
export function countLimitOf({ properties }: Pick<Catalog, 'properties'>): number {
  return bounded({ properties }, 'rest.count.max', { max: MAX_COUNTED, fallback: DEFAULT_MAX_COUNTED })
}

export const MAX_COUNTED = 1_000_000

export const MAX_BULK = 10_000

/** Bounds the property, because a page is one text in memory. */
export const MAX_ROWS = 1_000_000

/** A property within its bounds. An invalid property must not make every list fail: the fallback applies. */
function bounded(
  { properties }: Pick<Catalog, 'properties'>,
  name: string,
  { max, fallback }: { readonly max: number; readonly fallback: number },
): number {
  const property = Number(properties.get(name))
  return property >= 1 ? Math.min(Math.floor(property), max) : fallback
}
