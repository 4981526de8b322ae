import { AsyncLocalStorage } from 'node:async_hooks'
import { type CellRow, connect } from 'docket-client'

/**
 * Replaces ../docket.ts in the build for the server. How requests are sent belongs to the caller for whom a list is rendered: without a
 * caller, they fail.
 */
export const fetchOfCaller = new AsyncLocalStorage<typeof fetch>()

const headers: Record<string, string> = { 'x-docket-console': '1' }

export const pageHeaders = (): Readonly<Record<string, string>> => headers
export const pageUser = (): null => null
export const firstEventId = (): null => null
export const setPageUser = (): void => undefined

export const docket = connect<Readonly<Record<string, CellRow>>>({
  url: 'http://docket',
  session: true,
  headers,
  retry: 0,
  fetch: (input, init) => {
    const send = fetchOfCaller.getStore()
    if (send === undefined) throw new Error('a request without a caller')
    return send(input, init)
  },
})
