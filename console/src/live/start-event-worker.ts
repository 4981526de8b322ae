import type { HubMessage, PageMessage } from './event-hub.ts'
import workerUrl from './event-worker.ts?sharedworker&url'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The policy of the page (Trusted Types) lets no script start a worker from a text. This is the one exception, and it allows one URL. */
function trustedUrl(): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('docket-worker', {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new TypeError(`the policy does not allow ${url}`)
      return url
    },
  })
  return policy?.createScriptURL(workerUrl) ?? workerUrl
}
let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

/**
 * @param onFailure called if the worker cannot be loaded: after an update of the server, its file may be gone
 * @returns null if the browser has no shared workers
 */
export function startEventWorker(
  onMessage: (message: HubMessage) => void,
  onFailure: () => void,
): ((message: PageMessage) => void) | null {
  if (typeof SharedWorker === 'undefined') return null
  try {
    const worker = new SharedWorker(trustedUrl(), { name: 'docket-events' })
    worker.onerror = onFailure
    worker.port.onmessage = ({ data }: MessageEvent<HubMessage>) => onMessage(data)
    return (message) => worker.port.postMessage(message)
  } catch {
    // Browsers that block cookies and storage for this server also deny shared workers.
    return null
  }
}
