import { ByteReader } from './byte-streams.ts'
import { DamagedTermsError } from './damaged-terms.ts'
import { type DocumentStream, DocumentWriter } from './document-stream.ts'

export const firstHeaderBytes = 40
const maxShortWeight = 3

/**
 * Packed terms as they were written up to the layout 2, uncompressed:
 *
 *  header    layout, CRC-32 of the rest, document id, length, counts
 *  doc_id    UTF-8
 *  chunks    for each its weighted length and its number of tokens
 *  tokens    of all chunks, as in a segment
 *  terms     ascending: length << 1 | (1: several postings), UTF-8, number of postings if there are several, postings
 *
 * A posting is (chunk − the previous chunk) << 2 | weight; a weight above 3 is written as 0, followed by a byte with the weight.
 *
 * @param bytes whose checksum is right
 * @throws DamagedTermsError
 */
export function openFirstLayout(documentId: number, bytes: Uint8Array): DocumentStream {
  const header = new DataView(bytes.buffer, bytes.byteOffset, firstHeaderBytes)
  const count = (place: number): number => header.getUint32(16 + place * 4, true)
  const [docIdBytes, chunks, terms, postings, tokens] = [count(1), count(2), count(3), count(4), count(5)]
  const reader = new ByteReader(bytes, firstHeaderBytes + docIdBytes)
  const chunkNumbers = Array.from({ length: chunks }, () => [reader.varint(), reader.varint()] as const)
  const writer = new DocumentWriter({
    documentId,
    docId: bytes.subarray(firstHeaderBytes, firstHeaderBytes + docIdBytes),
    chunks,
    maxTerms: terms,
    maxPostings: postings,
    maxTermBytes: bytes.length,
    // A copy, because the bytes may begin at an odd address.
    tokens: new Uint16Array(new Uint8Array(bytes.subarray(reader.at, reader.at + tokens * 2)).buffer),
  })
  reader.at += tokens * 2
  for (const [length, tokensOfChunk] of chunkNumbers) writer.chunk(length, tokensOfChunk)
  let left = postings
  for (let term = 0; term < terms; term++) left -= copyTerm(reader, writer, left)
  if (left !== 0 || reader.at !== bytes.length) throw new DamagedTermsError('damaged terms')
  return writer.finish()
}

/** @returns the number of its postings */
function copyTerm(reader: ByteReader, writer: DocumentWriter, maxPostings: number): number {
  const head = reader.varint()
  const from = reader.at
  reader.at = from + (head >>> 1)
  if (reader.at > reader.bytes.length) throw new DamagedTermsError('a damaged term')
  writer.term(reader.bytes, from, reader.at)
  const count = (head & 1) === 0 ? 1 : reader.varint()
  if (count >>> 0 > maxPostings) throw new DamagedTermsError('damaged postings')
  for (let left = count; left > 0; left--) {
    const value = reader.varint()
    const weight = value & maxShortWeight
    writer.posting(value >>> 2, weight === 0 ? reader.byte() : weight)
  }
  return count
}
