import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RichNode } from '../../console/src/form/rich-document.ts'
import { editedOf, richOf } from '../../console/src/form/rich-edited.ts'
import { richSchema } from '../../console/src/form/rich-schema.ts'
import type { DocumentDetail } from '../../src/column-types/editor/editor-node.ts'
import { fromEditorDocument } from '../../src/column-types/editor/from-editor-document.ts'
import { sanitizeMarkup } from '../../src/column-types/editor/rich-text.ts'
import { toEditorDocument } from '../../src/column-types/editor/to-editor-document.ts'

const numRuns = Number(process.env['DOCKET_LAW_RUNS'] ?? 300)

const blocks = ['address', 'article', 'aside', 'dd', 'div', 'dl', 'dt', 'figcaption', 'figure', 'section', 'nav']
const marks = ['strong', 'b', 'em', 'i', 'u', 'ins', 's', 'del', 'code', 'sub', 'sup']
const otherMarks = ['kbd', 'mark', 'small', 'span', 'q']
const tags = [
  ...['p', 'h2', 'ul', 'ol', 'menu', 'li', 'blockquote', 'pre', 'table', 'caption', 'thead', 'tbody', 'tr', 'td', 'th'],
  ...['colgroup', 'ruby', 'rt', 'a', ...blocks, ...marks, ...otherMarks],
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
    fc.constantFrom(
      ...['one', ' two ', 'a\u00a0b', '\u00a0', '<br />', '<hr class="x" />', '\n', '<col class="x" />', '<wbr></wbr>'],
    ),
    fc.constantFrom('<img src="a.png" alt="Plan" />', '<input type="checkbox" checked />'),
    fc
      .tuple(fc.constantFrom(...tags), fc.constantFrom(...attributes), tie('markup'))
      .map(([tag, attribute, inner]) => `<${tag}${attribute}>${inner}</${tag}>`),
  ),
}))

const documentOf = (html: string, detail: DocumentDetail): RichNode => toEditorDocument(html, detail) as RichNode
const written = (document: unknown): string => {
  const html = fromEditorDocument(document)
  if (!html.ok) throw new Error(html.error)
  return sanitizeMarkup(html.value)
}
/** Another object for each node, as if each of them had been edited. */
const rewritten = (document: RichNode): RichNode =>
  richOf(richSchema.nodeFromJSON(JSON.parse(JSON.stringify(editedOf(document)))))

const words = ({ type, text = '', attrs, content = [] }: RichNode): string =>
  type === 'image' ? String(attrs?.['alt']) : text.replaceAll(/\s+/g, '') + content.map(words).join('')

describe.each(['json', 'elements'] as const)('sysparm_wysiwyg=%s', (detail) => {
  test('the editor takes each document that the server makes, and writes it back as it was', () => {
    fc.assert(
      fc.property(markup, (html) => {
        const document = documentOf(`<p>begin</p>${html}`, detail)
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
        const document = documentOf(`<p>begin</p>${html}`, detail)
        const again = rewritten(document)
        expect(words(again)).toBe(words(document))
        expect(fromEditorDocument(again).ok).toBe(true)
      }),
      { numRuns },
    )
  })
})

const own = fc.constantFrom('', ' class="x"', ' class="note" dir="rtl" lang="ar"')
const joined = (parts: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(parts, { minLength: 1, maxLength }).map((all) => all.join(''))
const around = (tag: fc.Arbitrary<string>, inner: fc.Arbitrary<string>) =>
  fc.tuple(tag, own, inner).map(([name, attribute, content]) => `<${name}${attribute}>${content}</${name}>`)

const plain = fc.constantFrom(
  ...[
    'one',
    ' two ',
    'a\u00a0b',
    '&lt;b&gt; &amp;',
    '<br />',
    '<br class="x" />',
    '<wbr></wbr>',
    '<a name="place"></a>',
  ],
  ...['<img src="a.png" alt="Plan" width="40" />', '<input type="checkbox" disabled />', '<span class="icon"></span>'],
)
const lineOf = (inline: fc.Arbitrary<string>) => joined(inline, 3).map((text) => `a${text}`)
const withElements = (line: fc.Arbitrary<string>) =>
  fc.oneof(
    plain,
    around(fc.constantFrom(...otherMarks), line),
    line.map((inner) => `<a href="https://example.com/" title="x" rel="noopener">${inner}</a>`),
  )
const ruby = lineOf(plain).map((line) => `<ruby>${line}<rp>(</rp><rt>${line}</rt><rp>)</rp></ruby>`)
/** No mark is in one of the same type, which the editor has no place for. */
const simpleLine = lineOf(
  fc.oneof(
    withElements(lineOf(plain)),
    around(fc.constantFrom(...marks), lineOf(fc.oneof(withElements(lineOf(plain)), ruby))),
  ),
)
/** Any mark in any other, also in one of its kind. */
const { deepLine } = fc.letrec<{ deepLine: string }>((tie) => ({
  deepLine: lineOf(
    fc.oneof(
      { depthSize: 'small' },
      fc.oneof(plain, ruby),
      withElements(tie('deepLine')),
      around(fc.constantFrom(...marks), tie('deepLine')),
    ),
  ),
}))

/** A text as editors and people write it: what may be in an element is there, and each is written as the sanitiser writes it. */
const textOf = (line: fc.Arbitrary<string>) =>
  fc.letrec<{ block: string; blocks: string }>((tie) => {
    const several = (tag: string, part: fc.Arbitrary<string>) => around(fc.constant(tag), joined(part, 3))
    const inAny = fc.oneof(line, tie('blocks'), fc.constant('\u00a0'))
    const row = several('tr', around(fc.constantFrom('td', 'th'), fc.oneof(inAny, fc.constant(''))))
    const columns = fc.constantFrom('', '<colgroup class="x"><col class="y" /><col /></colgroup>')
    return {
      block: fc.oneof(
        { depthSize: 'small' },
        fc.constant('<hr class="x" />'),
        around(fc.constantFrom('p', 'h1', 'h5', 'pre', 'div', 'figcaption'), line),
        around(fc.constantFrom('div', 'section', 'figure', 'blockquote', 'aside', 'address'), tie('blocks')),
        several('ul', around(fc.constant('li'), inAny)),
        several(
          'ol',
          around(
            fc.constant('li'),
            fc.tuple(line, tie('blocks')).map((all) => all.join('')),
          ),
        ),
        several('dl', around(fc.constantFrom('dt', 'dd'), inAny)),
        fc
          .tuple(columns, several('thead', row), several('tbody', row))
          .map(([cols, head, body]) => `<table><caption>Plan <kbd>1</kbd></caption>${cols}${head}${body}</table>`),
        several('table', row),
      ),
      blocks: joined(tie('block'), 3),
    }
  }).blocks

/** Marks without their order, which the editor changes, and without the numbers that keep equal ones apart. */
const unordered = (node: RichNode): unknown => ({
  ...node,
  ...(node.marks === undefined ? {} : { marks: [...new Set(node.marks.map(plainMark))].sort() }),
  ...(node.content === undefined ? {} : { content: node.content.map(unordered) }),
})
const plainMark = ({
  type,
  attrs: { apart: _number, ...attrs } = {},
}: {
  type: string
  attrs?: RichNode['attrs'] & {}
}) => JSON.stringify([type, attrs])

describe('a document with all elements', () => {
  test('is written as the text of which it was made', () => {
    fc.assert(
      fc.property(textOf(deepLine), (html) => {
        expect(written(documentOf(html, 'elements'))).toBe(sanitizeMarkup(html))
      }),
      { numRuns },
    )
  })

  test('keeps each element and attribute also where everything is edited', () => {
    fc.assert(
      fc.property(textOf(simpleLine), (html) => {
        const document = documentOf(html, 'elements')
        const again = documentOf(written(rewritten(document)), 'elements')
        expect(unordered(again)).toEqual(unordered(document))
      }),
      { numRuns },
    )
  })
})
