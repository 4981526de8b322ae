import { hash } from 'node:crypto'
import { namesTag } from '../../http/request/entity-tags.ts'
import { revalidate } from '../../http/response/caching.ts'
import type { WholeResponse } from '../../http/response/send-response.ts'

/**
 * Completes the entity tag of a response (docs/spec/records.md, section 8): `"version-representation"` of one record,
 * `"representation"` of a list. The version comes from the statement and depends only on what the caller may see of the record.
 * The representation is a hash of the body, so that it includes fields, display values, language, links and rights.
 *
 * @param isRead responses to reads always get a tag; a response to a write only if it contains a record that the caller may read
 */
export function withTag(response: WholeResponse, isRead: boolean): WholeResponse {
  const version = response.headers['etag']?.replaceAll('"', '')
  if (version === undefined && !isRead) return response
  const representation = hash('sha1', bytesOf(response), 'hex').slice(0, 16)
  const etag = version === undefined ? `"${representation}"` : `"${version}-${representation}"`
  const { status, headers, body } = response
  return { status, headers: isRead ? { ...headers, etag, ...revalidate } : { ...headers, etag }, body }
}

/** Bodies that fit are hashed here: a buffer of its own for each costs more than the hash of a short one. */
const scratch = Buffer.allocUnsafeSlow(65_536)

function bytesOf({ body }: WholeResponse): string | Buffer {
  if (typeof body === 'string') return body
  return body.length > scratch.length ? body.bytes : scratch.subarray(0, body.writeTo(scratch))
}

/** Sends 304 if the client already has this body. Totals and links are sent anyway, because they are not part of the body. */
export function unlessKnown(response: WholeResponse, ifNoneMatch: string | undefined): WholeResponse {
  const { etag } = response.headers
  const isKnown = ifNoneMatch !== undefined && etag !== undefined && namesTag(ifNoneMatch, etag, 'weak')
  return isKnown ? { status: 304, headers: response.headers, body: '' } : response
}
