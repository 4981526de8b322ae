import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { DispatchedRequest } from '../../http/request/dispatch.ts'
import type { Observation } from '../../telemetry/observation.ts'
import { consolePage } from './console-page.ts'
import type { PaintList } from './list-painter.ts'
import { paintListFor } from './paint-list.ts'
import { PaintPauses } from './paint-pauses.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const painted = { html: '<p>', failure: '', language: 'en', theme: 'system', density: 'compact' } as const

function stage(paint: PaintList, pauses = new PaintPauses()) {
  const socket = Object.assign(new EventEmitter(), { remoteAddress: '192.0.2.1', destroyed: false })
  const headers = { cookie: 'docket_session=x', host: 'desk.example', 'x-forwarded-for': '192.0.2.9', 'x-other': 'x' }
  const request = { stream: { url: '/console/t/task?q=a', socket }, headers, cookie: { key: 'x' } }
  const sent: DispatchedRequest[] = []
  const observed: Observation[] = []
  const deps = {
    painter: () => paint,
    pauses,
    observe: (seen: Observation) => void observed.push(seen),
    dispatch: async (each: DispatchedRequest) => {
      sent.push(each)
      return { status: 200, headers: { 'content-type': 'application/json', 'x-secret': 'x' }, body: Buffer.from('{}') }
    },
  }
  return { socket, sent, observed, result: paintListFor(deps, request as unknown as EndpointRequest) }
}

const read = (send: typeof fetch): Promise<Response> =>
  send('http://docket/rest/v1/meta?a=1', { method: 'GET', headers: { 'x-docket-console': '1' } })

test('requests are those of the caller, and their responses are kept with the list', async () => {
  const { sent, result } = stage(async (_address, send) => {
    await read(send)
    return painted
  })
  expect(await result).toEqual({
    list: painted,
    responses: [{ address: '/rest/v1/meta?a=1', headers: { 'content-type': 'application/json' }, body: '{}' }],
  })
  expect(sent).toMatchObject([{ method: 'GET', target: '/rest/v1/meta?a=1', address: '192.0.2.1' }])
  expect(sent[0]?.headers).toEqual({
    'x-docket-console': '1',
    cookie: 'docket_session=x',
    host: 'desk.example',
    'x-forwarded-for': '192.0.2.9',
  })
})

test.each(['the time is over', 'the caller has left'])('when %s, its requests end and none follows', async (why) => {
  let failure: unknown
  let go = (): void => undefined
  const { socket, sent, result } = stage(async (_address, send) => {
    await read(send)
    await new Promise<void>((resolve) => {
      go = resolve
    })
    await read(send).catch((error: unknown) => {
      failure = error
    })
    return painted
  })
  await vi.advanceTimersByTimeAsync(0)
  if (why === 'the caller has left') socket.emit('close')
  else await vi.advanceTimersByTimeAsync(600)
  expect(await result).toBeNull()
  expect(sent[0]?.signal?.aborted).toBe(true)
  go()
  await vi.waitFor(() => expect(failure).toMatchObject({ name: 'AbortError' }))
  expect(sent).toHaveLength(1)
  expect(socket.listenerCount('close')).toBe(0)
})

test('an error of a component is logged, and the page has no list', async () => {
  const error = new Error('a component failed')
  const { observed, result } = stage(() => Promise.reject(error))
  expect(await result).toBeNull()
  expect(observed).toEqual([{ kind: 'list-not-painted', error }])
})

test('a write is not sent', async () => {
  const { sent, result, observed } = stage(async (_address, send) => {
    await send('http://docket/rest/v1/table/task', { method: 'POST' })
    return painted
  })
  expect(await result).toBeNull()
  expect([sent.length, observed.length]).toEqual([0, 1])
})

test('when a list has failed, its other requests end', async () => {
  const { sent, result } = stage(async (_address, send) => {
    await read(send)
    return null
  })
  expect(await result).toBeNull()
  expect(sent[0]?.signal?.aborted).toBe(true)
})

test('a list that was late is left to the browser, each time for twice as long, and a session has one attempt at a time', async () => {
  const pauses = new PaintPauses()
  const late: PaintList = () => new Promise(() => undefined)
  const isTried = async (): Promise<boolean> => {
    const paint = vi.fn(late)
    const { result } = stage(paint, pauses)
    const other = stage(paint, pauses)
    await vi.advanceTimersByTimeAsync(600)
    expect([await result, await other.result]).toEqual([null, null])
    expect(paint.mock.calls.length).toBeLessThan(2)
    return paint.mock.calls.length === 1
  }
  const tried: boolean[] = []
  for (const waitMs of [0, 0, 200, 0, 200, 1_300]) {
    await vi.advanceTimersByTimeAsync(waitMs)
    tried.push(await isTried())
  }
  expect(tried).toEqual([true, false, false, true, false, true])
  const { result } = stage(async () => painted, new PaintPauses())
  expect(await result).not.toBeNull()
})

test('the address of the script is escaped once', () => {
  const built = '<meta name="docket"><script type="module" crossorigin src="./assets/index-1.js"></script>'
  const page = consolePage(built, { prefix: '/r&d', version: '1', demoUsers: [] })
  expect(page).toContain('data-script="/r&amp;d/console/assets/index-1.js"')
})
