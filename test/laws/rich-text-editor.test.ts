import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RichNode, wordsOf } from '../../console/src/form/rich-document.ts'
import { editedOf, richOf } from '../../console/src/form/rich-edited.ts'
import { richSchema } from '../../console/src/form/rich-schema.ts'
import { fromEditorDocument } from '../../src/column-types/editor/from-editor-document.ts'
import { toEditorDocument } from '../../src/column-types/editor/to-editor-document.ts'

const numRuns = Number(process.env['DOCKET_LAW_RUNS'] ?? 300)

const tags = [
  ...['p', 'h2', 'ul', 'ol', 'li', 'blockquote', 'pre', 'table', 'tr', 'td', 'th', 'div'],
  ...['strong', 'em', 'u', 's', 'code', 'sub', 'a'],
]
const attributes = [
  '',
  ' class="x"',
  ' dir="rtl" lang="ar"',
  ' colspan="2"',
  ' href="https://example.com/"',
  ' name="here"',
]

/** Markup as it may be stored: also parts of lists and tables outside of them, and other nodes inside. */
const { markup } = fc.letrec<{ markup: string; element: string }>((tie) => ({
  markup: fc.array(tie('element'), { maxLength: 4 }).map((all) => all.join('')),
  element: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('one', ' two ', 'a\u00a0b', '<br />', '<hr class="x" />', '<img src="a.png" alt="Plan" />', '\n'),
    fc
      .tuple(fc.constantFrom(...tags), fc.constantFrom(...attributes), tie('markup'))
      .map(([tag, attribute, inner]) => `<${tag}${attribute}>${inner}</${tag}>`),
  ),
}))

const documentOf = (html: string): RichNode => toEditorDocument(html) as RichNode
const words = (node: RichNode): string => wordsOf(node).replaceAll(/\s+/g, '')

test('the editor takes each document that the server makes, and writes it back as it was', () => {
  fc.assert(
    fc.property(markup, (html) => {
      const document = documentOf(`<p>begin</p>${html}`)
      const edited = editedOf(document)
      edited.check()
      expect(richOf(edited)).toEqual(document)
    }),
    { numRuns },
  )
})

test('where another part of the text is edited, all words stay, in their order', () => {
  fc.assert(
    fc.property(markup, (html) => {
      const document = documentOf(`<p>begin</p>${html}`)
      // Another object for each node, as if each of them had been edited.
      const rewritten = richOf(richSchema.nodeFromJSON(JSON.parse(JSON.stringify(editedOf(document)))))
      expect(words(rewritten)).toBe(words(document))
      const written = fromEditorDocument(rewritten)
      expect(written.ok).toBe(true)
    }),
    { numRuns },
  )
})
