import { AccessDenied, NotFound } from 'docket-client'

/** Of what the user may not read, nothing is displayed, not even that it might exist. Other errors are. */
export const emptyIfForbidden = (error: unknown): [] => {
  if (error instanceof AccessDenied || error instanceof NotFound) return []
  throw error
}
