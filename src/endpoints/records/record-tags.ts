import { hash } from 'node:crypto'
import { namesTag } from '../../http/request/entity-tags.ts'
import { revalidate } from '../../http/response/caching.ts'
import type { WholeResponse } from '../../http/response/send-response.ts'

/**
 * Completes the entity tag of a response (docs/spec/records.md, section 8): `"version-representation"` of one record, `"representation"` of a
 * list. The version comes from the statement and depends on nothing but what the caller may see of the record; the representation
 * is a hash of the body, so that fields, display values, language, links and rights are part of it.
 *
 * @param isRead what is read is tagged, whatever it is; of a write only a record that the caller may read
 */
export function withTag(answer: WholeResponse, isRead: boolean): WholeResponse {
  const version = answer.headers['etag']?.replaceAll('"', '')
  if (version === undefined && !isRead) return answer
  const representation = hash('sha1', bytesOf(answer), 'hex').slice(0, 16)
  const etag = version === undefined ? `"${representation}"` : `"${version}-${representation}"`
  return { ...answer, headers: { ...answer.headers, etag, ...(isRead ? revalidate : {}) } }
}

const bytesOf = ({ body }: WholeResponse): string | Buffer => (typeof body === 'string' ? body : body.bytes)

/** 304 where the client has this very body; totals and links are sent all the same, because they are no part of the body. */
export function unlessKnown(answer: WholeResponse, ifNoneMatch: string | undefined): WholeResponse {
  const { etag } = answer.headers
  const isKnown = ifNoneMatch !== undefined && etag !== undefined && namesTag(ifNoneMatch, etag, 'weak')
  return isKnown ? { status: 304, headers: answer.headers, body: '' } : answer
}
