import { type CellRow, connect } from 'docket-client'
import { prefix } from './facts.ts'

/** The header proves that a page of this server sends the request: pages of other servers cannot set it. */
export const docket = connect<Readonly<Record<string, CellRow>>>({
  url: `${location.origin}${prefix}`,
  session: true,
  // The page shows a countdown for a longer wait.
  maxRetryAfterMs: 2_000,
  headers: { 'x-docket-console': '1' },
})
