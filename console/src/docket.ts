import { type CellRow, connect } from 'docket-client'
import { prefix } from './facts.ts'

/** The header proves that a page of this server sends the request: pages of other servers cannot set it. */
const headers: Record<string, string> = { 'x-docket-console': '1' }
const userHeader = 'x-docket-user'

/** Headers of requests that `docket` does not send. */
export const pageHeaders = (): Readonly<Record<string, string>> => headers

/** sys_id of the user whose data this page displays; null: nobody has signed in. */
export const pageUser = (): string | null => headers[userHeader] ?? null

/** From now on the server rejects requests of this page if another user has signed in, in another page of this browser. */
export function setPageUser(sysId: string): void {
  headers[userHeader] = sysId
}

export const docket = connect<Readonly<Record<string, CellRow>>>({
  url: `${location.origin}${prefix}`,
  session: true,
  // The page shows a countdown for a longer wait.
  maxRetryAfterMs: 2_000,
  headers,
})
