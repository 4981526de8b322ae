import { type CellRow, connect } from 'docket-client'
import { prefix } from './facts.ts'

/** The header says that a page of this server sends the request; no page of another can set it. */
export const docket = connect<Readonly<Record<string, CellRow>>>({
  url: `${location.origin}${prefix}`,
  session: true,
  // A longer wait is counted down on the screen.
  maxRetryAfterMs: 2_000,
  headers: { 'x-docket-console': '1' },
})
