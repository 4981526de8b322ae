import { type CellRow, connect, type Session } from 'docket-client'
import { prefix } from './facts.ts'
import { takeResponse } from './painted/embedded-responses.ts'

/** The header proves that a page of this server sends the request: pages of other servers cannot set it. */
const headers: Record<string, string> = { 'x-docket-console': '1' }
const userHeader = 'x-docket-user'

/** Headers of requests that `docket` does not send. */
export const pageHeaders = (): Readonly<Record<string, string>> => headers

/** sys_id of the user whose data this page displays; null: nobody has signed in. */
export const pageUser = (): string | null => headers[userHeader] ?? null

let firstId: { readonly id: string; readonly atMs: number } | null = null

/** The place in the log of changes before the page read any record, and when that was; null: nobody has signed in. */
export const firstEventId = (): typeof firstId => firstId

/** From now on the server rejects requests of this page if another user has signed in, in another page of this browser. */
export function setPageUser(session: Session, atMs: number): void {
  headers[userHeader] = session.user.sys_id
  firstId ??= { id: session.last_event_id, atMs }
}

/** Without a slash at its end. */
export const serverUrl = `${origin}${prefix}`

export const docket = connect<Readonly<Record<string, CellRow>>>({
  url: serverUrl,
  session: true,
  // The page shows a countdown for a longer wait.
  maxRetryAfterMs: 2_000,
  headers,
  // All that are embedded are responses to GET.
  fetch: async (input, init) =>
    (init?.method === 'GET' ? takeResponse(String(input).slice(serverUrl.length)) : undefined) ?? fetch(input, init),
})
