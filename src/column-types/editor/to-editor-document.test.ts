import { expect, test } from 'vitest'
import type { EditorNode } from './editor-node.ts'
import { fromEditorDocument } from './from-editor-document.ts'
import { toEditorDocument } from './to-editor-document.ts'

const textOf = ({ text = '', content = [] }: EditorNode): string => text + content.map(textOf).join('')

test.each(['json', 'elements'] as const)(
  '%s: an element around very many texts makes no document of any length, and every text stays',
  (detail) => {
    const tag = detail === 'json' ? 'b' : 'kbd'
    const lines = 2_000
    const html = `<p><${tag} class="${'x'.repeat(20_000)}">${'a<br />'.repeat(lines)}</${tag}></p>`
    const document = toEditorDocument(html, detail)
    expect(JSON.stringify(document).length).toBeLessThan(18_000_000)
    expect(textOf(document)).toBe('a'.repeat(lines))
    const [first] = document.content?.[0]?.content ?? []
    expect(first?.marks?.length).toBe(1)
  },
)

test('the same elements in and beside one another, as deep as they may be, are told apart', () => {
  const deep = (text: string) => `${'<span>'.repeat(150)}${text}${'</span>'.repeat(150)}`
  const document = toEditorDocument(`<p>${deep('a').repeat(300)}</p>`, 'elements')
  const texts = document.content?.[0]?.content ?? []
  expect(texts.length).toBe(300)
  expect(texts.map(({ marks }) => marks?.[0]?.attrs?.['apart'] ?? 0)).toEqual(texts.map((_, at) => at % 2))
})

test.each([
  ['li', 'bulletList', 'listItem', ['<ul><li>', '</li></ul>']],
  ['blockquote', 'blockquote', null, ['<blockquote>', '</blockquote>']],
] as const)('a no-break space that is alone in %s stays', (_tag, outer, inner, [before, after]) => {
  for (const detail of ['json', 'elements'] as const)
    for (const space of ['&nbsp;', '\u00a0', '\u00a0\u00a0', '\n&nbsp;']) {
      const paragraph = {
        type: 'paragraph',
        ...(detail === 'elements' ? { attrs: { tag: '' } } : {}),
        content: [{ type: 'text', text: space.replace('\n', '').replace('&nbsp;', '\u00a0') }],
      }
      const content = inner === null ? [paragraph] : [{ type: inner, content: [paragraph] }]
      expect(toEditorDocument(`${before}${space}${after}`, detail)).toEqual({
        type: 'doc',
        content: [{ type: outer, content }],
      })
    }
})

test('blank text between blocks is layout, and so is a no-break space between the parts of a table', () => {
  const cell = (text: string) => ({
    type: 'tableCell',
    content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
  })
  expect(toEditorDocument('<table>\n<tr>&nbsp;<td>a</td> \t<td>&nbsp;</td>\r\n</tr></table>\f')).toEqual({
    type: 'doc',
    content: [{ type: 'table', content: [{ type: 'tableRow', content: [cell('a'), cell('\u00a0')] }] }],
  })
})

test.each(['json', 'elements'] as const)(
  '%s: a document with such spaces is written as the text of which it was made',
  (detail) => {
    const html =
      detail === 'json'
        ? '<ul><li><p>\u00a0</p></li></ul><p>\u00a0</p>'
        : '<ul><li>\u00a0</li></ul><table><tbody><tr><td>\u00a0</td></tr></tbody></table><div>\u00a0<p>a</p></div>\u00a0'
    expect(fromEditorDocument(toEditorDocument(html, detail))).toEqual({ ok: true, value: html })
  },
)
