import type { Content, ContentPage } from '../../documents/read-content.ts'
import type { Reply } from '../../http/endpoint/declare.ts'
import { beginStream } from '../../http/response/stream-response.ts'

/** Streams documents of any size in their envelope: memory never holds a whole document or a whole page. */
export async function streamContent(reply: Reply, page: ContentPage): Promise<void> {
  const stream = beginStream(reply, { 'content-type': 'application/json; charset=utf-8' })
  try {
    for await (const piece of piecesOf(page)) if (!(await stream.write(piece))) return
    stream.end()
  } catch (error) {
    stream.breakOff()
    throw error
  }
}

async function* piecesOf({ documents, next }: ContentPage): AsyncGenerator<string> {
  yield '{"status":"OK","data":['
  for (const [index, document] of documents.entries()) {
    if (index > 0) yield ','
    yield* piecesOfDocument(document)
  }
  yield `],"next_cursor":${JSON.stringify(cursorOf(next))}}`
}

/** The `cursor` value for the page after a doc_id. */
export function cursorOf(next: string | null): string | null {
  return next === null ? null : Buffer.from(next).toString('base64url')
}

async function* piecesOfDocument({ text, ...about }: Content): AsyncGenerator<string> {
  const { docId, collectionName, metadata, fileName, mediaType, version } = about
  yield `{"doc_id":${JSON.stringify(docId)},"collection_name":${JSON.stringify(collectionName)},"text":"`
  for await (const piece of text()) yield JSON.stringify(piece).slice(1, -1)
  const rest = { metadata, file_name: fileName, media_type: mediaType, version }
  yield `",${JSON.stringify(rest).slice(1)}`
}
