import { type DocketError, type ErrorDetail, errorOf, NetworkError } from 'docket-client'
import { pageHeaders } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { messageOf } from '../ui/states.tsx'

export interface UploadFailure {
  readonly error: DocketError
  readonly message: string
  /** The same file may be accepted later. */
  readonly canRetry: boolean
}

export interface RunningUpload {
  /** Resolves to null when the file is attached. Never resolves after `cancel`. */
  readonly failure: Promise<UploadFailure | null>
  readonly cancel: () => void
}

/** Sends one file with XMLHttpRequest: `fetch` does not report upload progress. */
export function uploadFile(
  { url, file, key }: { readonly url: string; readonly file: File; readonly key: string },
  onProgress: (progress: number) => void,
): RunningUpload {
  const request = new XMLHttpRequest()
  const failure = new Promise<UploadFailure | null>((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onerror = () => resolve(failureOf(new NetworkError(t('files.broken'))))
    request.onload = () => resolve(request.status < 300 ? null : failureOf(readError(request)))
  })
  request.open('POST', url)
  for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value)
  // Browsers resend a request on their own when a kept-alive connection breaks.
  request.setRequestHeader('idempotency-key', key)
  const body = new FormData()
  body.append('files[]', file)
  request.send(body)
  return { failure, cancel: () => request.abort() }
}

const rejected: ReadonlySet<number> = new Set([400, 403, 404, 413, 415, 422])

function failureOf(error: DocketError): UploadFailure {
  const { status } = error
  return { error, message: messageOfError(error), canRetry: !rejected.has(status) }
}

function messageOfError(error: DocketError): string {
  if (error.status === 0) return t('files.broken')
  if (error.status === 401) return t('files.signedOut')
  return error.status === 413 && error.code === 'UNKNOWN' ? t('files.tooLarge') : messageOf(error)
}

/** The response of a proxy is a page, without a sentence for the user. */
function readError(request: XMLHttpRequest): DocketError {
  const retryAfter = Number(request.getResponseHeader('retry-after') ?? Number.NaN)
  const errors = detailsOf(request.responseText)
  return errorOf({
    status: request.status,
    errors,
    requestId: request.getResponseHeader('x-request-id'),
    retryAfterMs: Number.isNaN(retryAfter) ? null : retryAfter * 1_000,
  })
}

function detailsOf(body: string): readonly ErrorDetail[] {
  try {
    return (JSON.parse(body) as { readonly errors?: readonly ErrorDetail[] }).errors ?? []
  } catch {
    return []
  }
}
