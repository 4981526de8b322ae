import { connect } from 'docket-client'
import type { EventServer } from './event-hub.ts'

/** @param url address of the server without a slash at its end */
export function eventServer(url: string): EventServer {
  const docketOf = (user: string) =>
    connect({
      url,
      session: true,
      // An open stream does not count as use of the session. The server rejects a session of another user.
      headers: { 'x-docket-console': 'background', 'x-docket-user': user },
    })
  return {
    events: ({ user, ...options }) => docketOf(user).events(options),
    readableTables: async (user) => new Set((await docketOf(user).tables()).map(({ name }) => name)),
  }
}
