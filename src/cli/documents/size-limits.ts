import type { LimitResponse } from '../../contract/limits.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { DocumentToSend } from './send-document.ts'
import type { ServerClient } from './server-client.ts'

/** Limits of the server, in bytes. */
export interface SizeLimits {
  readonly file: number
  readonly text: number
}

/** Read before anything is sent: a server that rejects a large upload closes the connection, which looks like a broken one. */
export async function readLimits(client: ServerClient): Promise<SizeLimits> {
  const response = await client.send({ method: 'GET', path: '/limits', query: {} })
  if (!response.ok) throw new StartFailure(`${client.address} rejects the request: ${response.message}`)
  const limits = (response.body as { readonly data: readonly LimitResponse[] }).data
  const named = (name: string): number =>
    limits.find((limit) => limit.service === 'documents' && limit.name === name)?.value ?? Number.POSITIVE_INFINITY
  return { file: named('file'), text: named('text') }
}

/** @returns what is wrong, in a sentence; null if it fits */
export function overLimit(document: DocumentToSend, limits: SizeLimits): string | null {
  const bytes = document.kind === 'file' ? document.size : Buffer.byteLength(document.text)
  const max = document.kind === 'file' ? limits.file : limits.text
  return bytes > max ? `it is ${bytes} bytes long; the server takes at most ${max}` : null
}
