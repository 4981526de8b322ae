import type { SentBytes } from './upload-body.ts'

type ReportsSent = (event: { readonly loaded: number; readonly total: number }) => void

/** What is used of XMLHttpRequest: the types of Node do not have it. */
interface UploadRequest {
  readonly upload: { onprogress: ReportsSent; onload: ReportsSent }
  readonly status: number
  readonly statusText: string
  readonly response: Blob
  responseType: 'blob'
  onload: () => void
  onerror: () => void
  onabort: () => void
  onloadend: () => void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: FormData): void
  abort(): void
}

const constructorOf = (): (new () => UploadRequest) | undefined =>
  (globalThis as unknown as { readonly XMLHttpRequest?: new () => UploadRequest }).XMLHttpRequest

export const hasUploadEvents = (): boolean => constructorOf() !== undefined

/** Browsers report what they have sent to XMLHttpRequest alone. */
export function fetchWithProgress(onProgress: (bytes: SentBytes) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const Constructor = constructorOf()
      if (Constructor === undefined) return reject(new TypeError('XMLHttpRequest is missing'))
      const request = new Constructor()
      const stop = (): void => request.abort()
      request.responseType = 'blob'
      const report: ReportsSent = ({ loaded, total }) => onProgress({ sent: loaded, total })
      request.upload.onprogress = report
      // Browsers may leave out the progress of the last bytes.
      request.upload.onload = report
      request.onload = () => resolve(responseOf(request))
      request.onerror = () => reject(new TypeError('the connection failed'))
      request.onabort = () => reject(init.signal?.reason)
      request.onloadend = () => init.signal?.removeEventListener('abort', stop)
      request.open(init.method ?? 'GET', String(input))
      new Headers(init.headers).forEach((value, name) => {
        request.setRequestHeader(name, value)
      })
      if (init.signal?.aborted === true) return reject(init.signal.reason)
      init.signal?.addEventListener('abort', stop, { once: true })
      request.send(init.body as FormData)
    })
}

function responseOf(request: UploadRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const { status, statusText, response } = request
  return new Response(status === 204 || status === 304 ? null : response, { status, statusText, headers })
}
