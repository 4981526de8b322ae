import { AccessDenied, type DocketEvent } from 'docket-client'
import { beforeEach, describe, expect, test } from 'vitest'
import { EventHub, type EventServer, type HubMessage } from '../../../console/src/live/event-hub.ts'

type StreamRequest = Parameters<EventServer['events']>[0]

/** A server whose streams send what the test says. */
function testServer(readable = ['task', 'company']) {
  const streams: { readonly request: StreamRequest; readonly send: (event: DocketEvent) => void }[] = []
  const events: EventServer['events'] = async function* (request) {
    const denied = request.tables.find((name) => !readable.includes(name))
    if (denied !== undefined) throw new AccessDenied({ status: 403, errors: [], requestId: null, retryAfterMs: null })
    const waiting: DocketEvent[] = []
    let go = (): void => undefined
    streams.push({
      request,
      send: (event) => {
        waiting.push(event)
        go()
      },
    })
    request.signal.addEventListener('abort', () => go())
    while (!request.signal.aborted) {
      for (const event of waiting.splice(0)) {
        if (event.kind === 'change') request.onId(event.change.id)
        yield event
      }
      await new Promise<void>((resolve) => {
        go = resolve
        if (request.signal.aborted || waiting.length > 0) resolve()
      })
    }
  }
  return { streams, server: { events, readableTables: async () => new Set(readable) } satisfies EventServer }
}

function testPage() {
  const received: string[] = []
  const page = (message: HubMessage): void => {
    if (message.kind === 'event')
      received.push(message.event.kind === 'change' ? message.event.change.id : message.event.kind)
  }
  return { page, received }
}

const changeOf = (id: string): DocketEvent => ({
  kind: 'change',
  change: { id, operation: 'update', table: 'task', sys_id: '1', changed_at: null, changed_by: null, changes: {} },
})
const open = { kind: 'open' } as const

let nowMs = 1_000

function setUp(readable?: string[]) {
  const { streams, server } = testServer(readable)
  const hub = new EventHub(server, () => nowMs)
  const watch = (
    page: (message: HubMessage) => void,
    tables: readonly string[],
    more: { user?: string; since?: string; sinceMs?: number } = {},
  ) =>
    hub.receive(page, {
      kind: 'watch',
      user: more.user ?? 'anna',
      tables,
      since: more.since ?? '0',
      sinceMs: more.sinceMs ?? nowMs,
    })
  const count = (wanted: number) => expect.poll(() => streams.length).toBe(wanted)
  const sendLast = (event: DocketEvent): void => streams.at(-1)?.send(event)
  return { hub, streams, watch, count, sendLast }
}

describe('the event hub', () => {
  beforeEach(() => {
    nowMs = 1_000
  })

  test('a stream for other tables continues after the last event of the one before', async () => {
    const { streams, watch, count, sendLast } = setUp()
    const [one, other] = [testPage(), testPage()]
    watch(one.page, ['task'])
    await count(1)
    sendLast(open)
    sendLast(changeOf('7'))
    await expect.poll(() => one.received).toEqual(['open', '7'])
    nowMs = 2_000
    watch(other.page, ['company'])
    await count(2)
    const second = streams[1]?.request
    expect({ tables: second?.tables, since: second?.since, isFirstOver: streams[0]?.request.signal.aborted }).toEqual({
      tables: ['company', 'task'],
      since: '7',
      isFirstOver: true,
    })
    expect(other.received).toEqual(['open'])
  })

  test('a stream for more tables begins before the page that wants them has read its records, and no event comes twice', async () => {
    const { streams, watch, count, sendLast } = setUp()
    const [one, other] = [testPage(), testPage()]
    watch(one.page, ['task'])
    await count(1)
    nowMs = 2_000
    sendLast(changeOf('5'))
    await expect.poll(() => one.received).toEqual(['5'])
    // The other page has read its records; then one of them is changed, which this stream does not have, and then a task.
    nowMs = 4_000
    sendLast(changeOf('7'))
    await expect.poll(() => one.received).toEqual(['5', '7'])
    watch(other.page, ['company'], { since: 'of its session', sinceMs: 3_000 })
    await count(2)
    expect(streams[1]?.request.since).toBe('5')
    for (const id of ['6', '7', '8']) sendLast(changeOf(id))
    await expect.poll(() => one.received).toEqual(['5', '7', '6', '8'])
    expect(other.received).toEqual(['7', '6', '8'])
  })

  test('a stream that is replaced before it has sent anything keeps the beginning of its events', async () => {
    const { streams, watch, count, sendLast } = setUp(['task', 'company', 'user'])
    const [one, other, third] = [testPage(), testPage(), testPage()]
    watch(one.page, ['task'])
    await count(1)
    nowMs = 2_000
    sendLast(changeOf('5'))
    await expect.poll(() => one.received).toEqual(['5'])
    nowMs = 4_000
    sendLast(changeOf('7'))
    await expect.poll(() => one.received).toEqual(['5', '7'])
    watch(other.page, ['company'], { sinceMs: 3_000 })
    await count(2)
    watch(third.page, ['user'], { sinceMs: 4_400 })
    await count(3)
    expect(streams.map(({ request }) => request.since)).toEqual(['0', '5', '5'])
  })

  test('a denied table does not cost the events of another new one', async () => {
    const { streams, watch, count, sendLast } = setUp(['task', 'company', 'user'])
    const [one, other] = [testPage(), testPage()]
    watch(one.page, ['task'])
    await count(1)
    nowMs = 2_000
    sendLast(changeOf('5'))
    await expect.poll(() => one.received).toEqual(['5'])
    nowMs = 4_000
    sendLast(changeOf('7'))
    await expect.poll(() => one.received).toEqual(['5', '7'])
    watch(other.page, ['company', 'secret'], { sinceMs: 3_000 })
    await count(2)
    expect(streams[1]?.request).toMatchObject({ tables: ['company', 'task'], since: '5' })
    // It stays denied, so this page waits for no other stream.
    watch(other.page, ['company', 'secret'], { sinceMs: 3_500 })
    nowMs = 5_000
    sendLast(changeOf('8'))
    await expect.poll(() => other.received.at(-1)).toBe('8')
    watch(other.page, ['company', 'user'], { sinceMs: 5_001 })
    await count(3)
    expect(streams[2]?.request.since).toBe('8')
  })

  test('a page that wants one more table misses none of its events', async () => {
    const { streams, watch, count, sendLast } = setUp()
    const { page, received } = testPage()
    watch(page, ['task'])
    await count(1)
    nowMs = 2_000
    sendLast(changeOf('5'))
    await expect.poll(() => received).toEqual(['5'])
    nowMs = 3_000
    watch(page, ['company', 'task'], { since: '5', sinceMs: 2_001 })
    sendLast(changeOf('7'))
    await count(2)
    expect(received).toEqual(['5', '7'])
    expect(streams[1]?.request.since).toBe('5')
  })

  test('a page that comes later, or comes back, gets what it has missed', async () => {
    const { hub, watch, count, sendLast } = setUp()
    const [stays, leaves] = [testPage(), testPage()]
    watch(stays.page, ['task'])
    watch(leaves.page, ['task'])
    await count(1)
    nowMs = 7_000
    sendLast(changeOf('7'))
    await expect.poll(() => leaves.received).toEqual(['7'])
    hub.receive(leaves.page, { kind: 'leave' })
    nowMs = 8_000
    sendLast(changeOf('8'))
    await expect.poll(() => stays.received).toEqual(['7', '8'])
    watch(leaves.page, ['task'], { sinceMs: 7_001 })
    expect(leaves.received).toEqual(['7', '8'])
  })

  test('a page that was away for longer than the hub keeps events reads again', async () => {
    const { watch, count, sendLast } = setUp()
    const [stays, late] = [testPage(), testPage()]
    watch(stays.page, ['task'])
    await count(1)
    nowMs = 7_000
    for (let at = 1; at <= 501; at += 1) sendLast(changeOf(String(at)))
    await expect.poll(() => stays.received.length).toBe(501)
    watch(late.page, ['task'], { sinceMs: 7_000 })
    expect(late.received).toEqual(['reset'])
  })

  test('a new hub continues where a page stopped', async () => {
    const { streams, watch, count } = setUp()
    watch(testPage().page, ['task'], { since: '9' })
    await count(1)
    expect(streams[0]?.request.since).toBe('9')
  })

  test('events of a user reach no page of another user, also if the page changes its user', async () => {
    const { streams, watch, count } = setUp()
    const [anna, john] = [testPage(), testPage()]
    watch(anna.page, ['task'])
    watch(john.page, ['task'], { user: 'john' })
    await count(2)
    const [ofAnna, ofJohn] = streams
    ofAnna?.send(changeOf('1'))
    ofJohn?.send(changeOf('2'))
    await expect.poll(() => [anna.received, john.received]).toEqual([['1'], ['2']])
    nowMs = 2_000
    watch(anna.page, ['task'], { user: 'john' })
    ofAnna?.send(changeOf('3'))
    ofJohn?.send(changeOf('4'))
    await expect
      .poll(() => [anna.received, john.received])
      .toEqual([
        ['1', '4'],
        ['2', '4'],
      ])
  })

  test('a table that may not be read is left out, and the other tables keep their events', async () => {
    const { streams, watch, count, sendLast } = setUp(['task'])
    const page = testPage()
    watch(page.page, ['task', 'sys_webhook'])
    await count(1)
    expect(streams[0]?.request.tables).toEqual(['task'])
    sendLast(changeOf('1'))
    await expect.poll(() => page.received).toEqual(['1'])
  })

  test('signing out ends the stream, and no page receives anything more', async () => {
    const { hub, streams, watch, count, sendLast } = setUp()
    const page = testPage()
    watch(page.page, ['task'])
    await count(1)
    hub.end()
    expect(streams[0]?.request.signal.aborted).toBe(true)
    sendLast(changeOf('1'))
    watch(page.page, ['task'])
    await count(2)
    sendLast(changeOf('2'))
    await expect.poll(() => page.received).toEqual(['2'])
  })
})
