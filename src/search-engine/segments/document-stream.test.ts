import { expect, test } from 'vitest'
import { DocumentWriter, readTokens, TermReader } from './document-stream.ts'
import { hashOfBytes, tokenOf } from './segment.ts'

test.each([10, 300, 70_000])('a document of %i terms is read as it was written', (terms) => {
  const texts = Array.from({ length: terms }, (_, at) => Buffer.from(`${'same beginning '.repeat(at % 3)}${at}`)).sort(
    Buffer.compare,
  )
  const tokens = Uint16Array.from(texts, (text) => tokenOf(hashOfBytes(text, 0, text.length)))
  tokens[1] = 0
  const writer = new DocumentWriter({
    documentId: 1,
    docId: Buffer.from('doc'),
    chunks: 1,
    maxTerms: terms,
    maxPostings: terms,
    maxTermBytes: texts.reduce((sum, { length }) => sum + length, 0),
    tokens,
  })
  writer.chunk(terms, terms)
  for (const [at, text] of texts.entries()) {
    writer.term(text, 0, text.length)
    writer.posting(0, (at % 255) + 1)
  }
  const stream = writer.finish()
  const reader = new TermReader(stream)
  const tokenOfTerm = new Uint16Array(terms + 1)
  let different = 0
  for (const [at, text] of texts.entries()) {
    if (reader.nextPosting() !== (at % 255) + 1 || !reader.isOfNextTerm || reader.chunkStep !== 0) different++
    reader.nextTerm()
    if (!text.equals(reader.bytes.subarray(0, reader.length))) different++
    tokenOfTerm[at + 1] = tokenOf(hashOfBytes(reader.bytes, 0, reader.length))
  }
  const read = new Uint16Array(terms)
  readTokens(stream, tokenOfTerm, read, 0)
  expect({ terms: stream.terms, different }).toEqual({ terms, different: 0 })
  expect(Buffer.from(read.buffer).equals(Buffer.from(tokens.buffer))).toBe(true)
})
