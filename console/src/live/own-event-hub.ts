import { serverUrl } from '../docket.ts'
import { EventHub } from './event-hub.ts'
import { eventServer } from './event-server.ts'

/** A hub of this page alone. Few browsers need one, so it is loaded on demand. */
export const ownEventHub = (): EventHub => new EventHub(eventServer(serverUrl))
