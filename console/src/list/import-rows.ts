import { docket } from '../docket.ts'

/**
 * Imports rows of a table that are JSON texts. The server writes a batch that it was sent, so the request waits for its result.
 *
 * @param idempotencyKey a batch whose response was lost is sent again with it: the server writes what is missing, and counts what it has
 * written. null: for a check
 */
export function importRows<T>(
  table: string,
  rows: readonly string[],
  { parameters, idempotencyKey }: { readonly parameters: URLSearchParams; readonly idempotencyKey: string | null },
): Promise<T> {
  const body = new FormData()
  body.append(
    'file',
    new Blob([`{${JSON.stringify(table)}:[${rows.join(',')}]}`], { type: 'application/json' }),
    'rows.json',
  )
  return docket.request<T>({
    method: 'POST',
    path: `/rest/v1/import/json?${parameters}`,
    body,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    timeoutMs: 120_000,
  })
}
