import { expect, test } from 'vitest'
import type { EditorNode } from './editor-node.ts'
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
