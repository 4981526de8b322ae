import type { DocketEvent } from 'docket-client'
import { firstEventId, pageUser } from '../docket.ts'
import { loadPart } from '../load-part.ts'
import type { HubMessage, PageMessage } from './event-hub.ts'
import { startEventWorker } from './start-event-worker.ts'

type Listener = (event: DocketEvent) => void

/** Listeners of this page with their tables. All pages of a browser share one event stream (event-hub.ts). */
const listeners = new Map<Listener, readonly string[]>()
let hub: ((message: PageMessage) => void) | null = null
/** The last id received; null: that of the session, which was read before any record. */
let last: { readonly id: string; readonly atMs: number } | null = null
let watched = ''
let isOffline = false

/** @returns a function that ends listening */
export function listen(tables: readonly string[], listener: Listener): () => void {
  listeners.set(listener, tables)
  if (isOffline) listener({ kind: 'closed', nextInMs: 0 })
  settle()
  return () => {
    listeners.delete(listener)
    settle()
  }
}

/** After signing in again. */
export function renewEvents(): void {
  const user = pageUser()
  if (user !== null) hub?.({ kind: 'renew', user })
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Waits a moment, because one screen is left and the next is opened almost at once. */
function settle(): void {
  clearTimeout(timer)
  timer = setTimeout(() => {
    if (tablesInView().join() !== watched) watch()
  }, 20)
}

const tablesInView = (): readonly string[] => [...new Set([...listeners.values()].flat())].sort()

function watch(): void {
  const user = pageUser()
  last ??= firstEventId()
  if (user === null || last === null) return
  const tables = tablesInView()
  watched = tables.join()
  hub ??= openHub()
  hub({ kind: 'watch', user, tables, since: last.id, sinceMs: last.atMs })
}

function receive(message: HubMessage): void {
  clearTimeout(silence)
  if (message.kind === 'id') last = { id: message.id, atMs: Date.now() }
  if (message.kind !== 'event') return
  const { event } = message
  if (event.kind === 'open' || event.kind === 'closed') isOffline = event.kind === 'closed'
  for (const listener of listeners.keys()) listener(event)
}

let hubs = 0

/** The hub in the shared worker; in a browser without shared workers, one of this page alone. */
function openHub(): (message: PageMessage) => void {
  hubs += 1
  const own = hubs
  // What a hub that was given up still sends, the next one sends, too.
  const receiveOwn = (message: HubMessage): void => {
    if (own === hubs) receive(message)
  }
  const shared = startEventWorker(receiveOwn, () => {
    hub = ownHub(receiveOwn)
    watch()
  })
  return shared ?? ownHub(receiveOwn)
}

/** Messages wait until it is loaded. If it is gone after an update of the server, the page is reloaded, or says that it is not live. */
function ownHub(receiveOwn: (message: HubMessage) => void): (message: PageMessage) => void {
  const loading = loadPart(() => import('./own-event-hub.ts')).then(({ ownEventHub }) => ownEventHub())
  const failed: HubMessage = { kind: 'event', event: { kind: 'closed', nextInMs: 0 } }
  return (message) =>
    void loading.then(
      (own) => own.receive(receiveOwn, message),
      () => receiveOwn(failed),
    )
}

let silence: ReturnType<typeof setTimeout> | undefined
const maxSilenceMs = 5_000

/** Phones may end the worker of a page in the background without a word: then a new one continues after the last id. */
function checkHub(): void {
  if (hub === null) return
  watch()
  clearTimeout(silence)
  silence = setTimeout(() => {
    // It may only be late: then it would send each event a second time.
    hub?.({ kind: 'leave' })
    hub = null
    watch()
  }, maxSilenceMs)
}

addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') checkHub()
})
addEventListener('pagehide', () => hub?.({ kind: 'leave' }))
// The browser kept the page while another one was open in its tab.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) checkHub()
})
