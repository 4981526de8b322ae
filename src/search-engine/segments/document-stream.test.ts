import { expect, test } from 'vitest'
import { DamagedTermsError } from './damaged-terms.ts'
import { DocumentWriter, readChunks, readPostings, readTokens, TermList } from './document-stream.ts'
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
  const list = new TermList()
  // Of the document before, which was damaged, nothing is left.
  expect(() => list.read({ ...stream, terms: 2 })).toThrow(DamagedTermsError)
  list.read(stream)
  const ordinals = Uint32Array.from(texts, (_, at) => at + 100)
  const runs = {
    term: new Uint32Array(terms + 1),
    start: new Uint32Array(terms + 1),
    postings: new Uint32Array(terms + 2),
  }
  readPostings(stream, ordinals, runs, { run: 1, posting: 2, chunk: 5 })
  const tokenOfTerm = new Uint16Array(terms + 1)
  let different = 0
  for (const [at, text] of texts.entries()) {
    if (runs.term[at + 1] !== at + 100 || runs.start[at + 1] !== at + 2) different++
    if (runs.postings[at + 2] !== ((5 << 8) | ((at % 255) + 1))) different++
    if (!text.equals(list.bytes.subarray(list.start[at], list.start[at + 1]))) different++
    if (list.hashes[at] !== hashOfBytes(text, 0, text.length)) different++
    tokenOfTerm[at + 1] = tokenOf(hashOfBytes(text, 0, text.length))
  }
  const read = new Uint16Array(terms)
  readTokens(stream, tokenOfTerm, read, 0)
  expect({ terms: list.count, different }).toEqual({ terms, different: 0 })
  expect(Buffer.from(read.buffer).equals(Buffer.from(tokens.buffer))).toBe(true)
  const [lengths, counts] = [new Uint32Array(2), new Uint32Array(2)]
  readChunks(stream, lengths, counts, 1)
  expect([...lengths, ...counts]).toEqual([0, terms, 0, terms])
})
