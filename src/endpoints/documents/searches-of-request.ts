import type { Search, SearchFound } from '../../documents/search-documents.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result } from '../../kernel/result.ts'

type Asking = Pick<EndpointRequest, 'callerNow' | 'gated' | 'gatedPatiently'> & {
  readonly stream: { readonly socket: { readonly destroyed: boolean } }
}

/**
 * Searches of one request, one after the other. Each has the rights of the caller as of its beginning: keys expire and roles change
 * meanwhile. Only the first is rejected if it waits too long for its turn: those that have run would be lost. None begins after the
 * client has disconnected.
 */
export function searchesOf(
  { callerNow, gated, gatedPatiently, stream }: Asking,
  search: (principal: Principal, search: Search) => Promise<Result<SearchFound, Problem>>,
): (search: Search) => Promise<Result<SearchFound, Problem>> {
  let isFirst = true
  return (each) => {
    const work = async (): Promise<Result<SearchFound, Problem>> => {
      if (stream.socket.destroyed) return disconnected
      const caller = await callerNow()
      return caller.ok ? search(caller.value.principal, each) : caller
    }
    const run = isFirst ? gated : gatedPatiently
    isFirst = false
    return run(work)
  }
}

/** Nobody receives it. */
const disconnected = fail<Problem>({
  kind: 'malformed-request',
  detail: 'the connection was closed before the response',
})
