import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Dispatch } from '../../http/request/dispatch.ts'
import type { Observe } from '../../telemetry/observation.ts'
import type { PaintedList, PaintList } from './list-painter.ts'
import type { PaintPauses } from './paint-pauses.ts'
import { type ReadResponse, sendAsCaller } from './send-as-caller.ts'

export interface PaintDeps {
  readonly dispatch: Dispatch
  /** null: not loaded yet, or there is none. */
  readonly painter: () => PaintList | null
  readonly pauses: PaintPauses
  readonly observe: Observe
}

export interface ListWithResponses {
  readonly list: PaintedList
  readonly responses: readonly ReadResponse[]
}

/** In milliseconds: how long a page waits for its list. */
const maxMs = 600

/**
 * The list at the address of a page, as the sender of the request sees it, with the responses from which it comes. No request follows after
 * the wait, or when the caller has left; a statement that is running runs to its end.
 *
 * @returns null: the page has no list, or not in time, or not without the browser, which then reads everything and reports what is wrong
 */
export async function paintListFor(deps: PaintDeps, request: EndpointRequest): Promise<ListWithResponses | null> {
  const paint = deps.painter()
  if (paint === null || !mayHaveList(request)) return null
  const { url = '', socket } = request.stream
  const endAttempt = deps.pauses.begin(request.cookie.key ?? '', url)
  if (endAttempt === null) return null
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const timer = setTimeout(end, maxMs)
  socket.once('close', end)
  const responses: ReadResponse[] = []
  const send = sendAsCaller(deps.dispatch, request, ending.signal, (response) => responses.push(response))
  const painted = paint(url, send).catch((error: unknown) => {
    deps.observe({ kind: 'list-not-painted', error })
    return null
  })
  const list = await Promise.race([painted, ended(ending.signal)])
  endAttempt(list !== null)
  clearTimeout(timer)
  socket.off('close', end)
  // Requests may be running although the list has failed.
  end()
  return list === null ? null : { list, responses }
}

const ended = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }))

/** A list, without the side panel and without groups: those are parts of the console that are loaded on demand. */
const listAddress = /^\/console\/t\/\w+(?:$|\?(?!(?:.*&)?(?:peek|group)=[^&]))/

/** Whether a browser opens the address of a list with the cookie of a session. */
const mayHaveList = ({ stream, headers, cookie }: EndpointRequest): boolean =>
  !stream.socket.destroyed &&
  listAddress.test(stream.url ?? '') &&
  cookie.key !== undefined &&
  headers.authorization === undefined &&
  headers['x-api-key'] === undefined &&
  (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate'
