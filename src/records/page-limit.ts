import type { PermittedRequest } from './authorize/permitted-request.ts'

/** Record spec, section 3: 0 means up to the cap, and above the cap the cap. */
export function limitOf({ request, catalog }: PermittedRequest): { readonly rows: number; readonly clamped: boolean } {
  const cap = Math.max(1, Number(catalog.properties.get('rest.limit.max')) || 10_000)
  const { limit } = request.paging
  return { rows: limit === 0 ? cap : Math.min(limit, cap), clamped: limit > cap }
}
