/** A shared worker: it holds the event stream of all pages of this browser, for as long as one of them is open. */
import { EventHub, type PageMessage, type SendToPage } from './event-hub.ts'
import { eventServer } from './event-server.ts'

/** What is used of SharedWorkerGlobalScope: its types exclude those of pages. */
interface WorkerScope {
  readonly location: Location
  onconnect: (event: { readonly ports: readonly MessagePort[] }) => void
}
const scope = globalThis as unknown as WorkerScope

const [prefix = ''] = scope.location.pathname.split('/console/assets/')
const hub = new EventHub(eventServer(`${scope.location.origin}${prefix}`))

scope.onconnect = ({ ports: [port] }) => {
  if (port === undefined) return
  const page: SendToPage = (message) => port.postMessage(message)
  port.onmessage = ({ data }: MessageEvent<PageMessage>) => hub.receive(page, data)
  // A page that crashes sends no farewell. Some browsers report the end of its port.
  port.addEventListener('close', () => hub.leave(page))
}

new BroadcastChannel('docket').onmessage = ({ data }) => {
  if (data === 'signed-out') hub.end()
}
