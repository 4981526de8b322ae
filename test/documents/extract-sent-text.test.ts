import { expect, test } from 'vitest'
import { extractSentText } from '../../src/extraction/extract-sent-text.ts'
import { defaultExtractionLimits } from '../../src/extraction/extraction-limits.ts'
import { seen } from './read-bytes.ts'

function send(text: string, maxTextUnits = 1_000): unknown {
  const result = extractSentText(text, { ...defaultExtractionLimits, maxTextUnits })
  return result.ok ? seen(result.value) : result.error
}

test('a sent text has paragraphs', () => {
  expect(send('One\ntwo\n\nThree')).toEqual({
    mediaType: 'text/plain',
    blocks: ['paragraph One\ntwo', 'paragraph Three'],
  })
})

test('a sent text that is Markdown has its headings', () => {
  expect(send('# Title\n\n- item **one**')).toEqual({
    mediaType: 'text/markdown',
    title: 'Title',
    blocks: ['heading1 # Title', 'list-item - item **one**'],
  })
})

test('a sent text is not taken for a table, a page or data', () => {
  for (const text of ['a;b\n1;2\n3;4', '<p>one</p>', '{"a":1}'])
    expect(send(text)).toEqual({ mediaType: 'text/plain', blocks: [`paragraph ${text}`] })
})

test('what nobody sees is taken out of a sent text too: nulls, lone surrogates, marks of direction', () => {
  expect(send('a\0b\ud800c\u202e')).toEqual({
    mediaType: 'text/plain',
    flags: { 'control-characters': 1, undecodable: 1, 'bidi-controls': 1 },
    blocks: ['paragraph ab\ufffdc'],
  })
})

test('a sent text over the limit is rejected', () => {
  expect(send('x'.repeat(1_001))).toEqual({
    kind: 'unreadable-document',
    stage: 'extract',
    cause: 'too-much-text',
    detail: 'more than 1000 characters of text',
  })
})
