import { fail, type Result, succeed } from '../../kernel/result.ts'
import {
  ALL_BLOCKS,
  ALL_EMPTY_BLOCKS,
  ALL_MARKS,
  attributesOf,
  flagsOf,
  isVoid,
  SPANS,
  USUAL_TAGS,
} from './editor-elements.ts'
import { MAX_HTML_NESTING } from './html-nesting.ts'
import { type MarkElement, nestMarks } from './nest-marks.ts'

/**
 * The HTML of an editor's JSON document of either detail. Supports the nodes and marks of `to-editor-document.ts`; the content of any
 * other node is kept, and an unknown mark is dropped. The result is not sanitised yet.
 */
export function fromEditorDocument(document: unknown): Result<string, string> {
  try {
    return succeed(contentOf(nodeOf(document), 0))
  } catch (error) {
    if (error instanceof BadNode) return fail(error.message)
    throw error
  }
}

/** The lines of a document that contains only paragraphs of plain text; null: it contains more. */
export function linesOfDocument(document: unknown): string | null {
  try {
    const lines = nodeOf(document).content.map((block) => lineOf(nodeOf(block)))
    return lines.every((line) => line !== null) ? lines.join('\n') : null
  } catch (error) {
    if (error instanceof BadNode) return null
    throw error
  }
}

function lineOf({ type, content }: Node): string | null {
  if (type !== 'paragraph') return null
  const nodes = content.map(nodeOf)
  const isPlain = nodes.every((node) => node.type === 'text' && node.marks.length === 0 && !node.text.includes('\n'))
  return isPlain ? nodes.map(({ text }) => text).join('') : null
}

/** The editor does not display deeper nesting, and recursion needs a limit. */
const MAX_DEPTH = 200

class BadNode extends Error {}

interface Node {
  readonly type: string
  readonly attrs: Readonly<Record<string, unknown>>
  readonly content: readonly unknown[]
  readonly text: string
  readonly marks: readonly unknown[]
}

function nodeOf(value: unknown): Node {
  if (typeof value !== 'object' || value === null) throw new BadNode('each node of an editor document is an object')
  const { type, attrs = {}, content = [], text = '', marks = [] } = value as Record<string, unknown>
  if (typeof type !== 'string' || typeof text !== 'string' || !Array.isArray(content) || !Array.isArray(marks))
    throw new BadNode('a node of an editor document has a type, and maybe attrs, content, text and marks')
  if (marks.length > MAX_HTML_NESTING)
    throw new BadNode(`a node of an editor document has at most ${MAX_HTML_NESTING} marks`)
  return { type, attrs: typeof attrs === 'object' && attrs !== null ? { ...attrs } : {}, content, text, marks }
}

function contentOf({ content }: Node, depth: number): string {
  if (depth > MAX_DEPTH) throw new BadNode(`an editor document is nested at most ${MAX_DEPTH} deep`)
  const nodes = content.map(nodeOf)
  const texts = nodes.map((node, at) =>
    hasNoElement(node) && !hasNoElement(nodes[at - 1]) && !hasNoElement(nodes[at + 1])
      ? contentOf(node, depth + 1)
      : htmlOf(node, depth + 1),
  )
  return nestMarks(
    texts,
    nodes.map(({ marks }) => marks.flatMap(markElement)),
  )
}

/** A paragraph of text that is directly in its parent. Two beside one another need elements. */
const hasNoElement = (node: Node | undefined): boolean => node?.type === 'paragraph' && node.attrs['tag'] === ''

function htmlOf(node: Node, depth: number): string {
  switch (node.type) {
    case 'text':
      return escapeHtml(node.text)
    case 'hardBreak':
      return element('br', node.attrs)
    case 'image':
      return element('img', node.attrs)
    case 'leaf':
      return isElementOfText(node.attrs['tag']) ? element(node.attrs['tag'], node.attrs, '') : ''
    case 'heading':
      return element(`h${levelOf(node.attrs['level'])}`, node.attrs, contentOf(node, depth))
    case 'horizontalRule':
    case 'tableColumn':
      return element(tagOf(node), node.attrs)
    default:
      return element(tagOf(node), node.attrs, contentOf(node, depth))
  }
}

const levelOf = (level: unknown): number =>
  typeof level === 'number' && level >= 1 && level <= 6 ? Math.trunc(level) : 1

/** The tag that the document names, if it is one of a block, or that of the type; null: neither. */
function tagOf({ type, attrs }: Pick<Node, 'type' | 'attrs'>): string | null {
  const { tag } = attrs
  const isNamed = typeof tag === 'string' && (Object.hasOwn(ALL_BLOCKS, tag) || Object.hasOwn(ALL_MARKS, tag))
  return isNamed ? tag : ownOf(USUAL_TAGS, type)
}

const ownOf = (record: Readonly<Record<string, string>>, key: string): string | null =>
  Object.hasOwn(record, key) ? (record[key] ?? null) : null

const isElementOfText = (tag: unknown): tag is string =>
  typeof tag === 'string' && (tag === 'a' || isVoid(tag) || Object.hasOwn(ALL_MARKS, tag))

const isEmptyElement = (tag: string): boolean =>
  tag === 'br' || tag === 'img' || isVoid(tag) || Object.hasOwn(ALL_EMPTY_BLOCKS, tag)

/** @param tag null: only what is in it */
const element = (tag: string | null, attrs: Node['attrs'], inner = ''): string => {
  if (tag === null) return inner
  return isEmptyElement(tag) ? `<${openTag(tag, attrs)} />` : `<${openTag(tag, attrs)}>${inner}</${tag}>`
}

function openTag(tag: string, attrs: Node['attrs']): string {
  const spans = tag === 'td' || tag === 'th' ? attributes(spansOf(attrs), SPANS) : ''
  const flags = flagsOf(tag).map((name) => (attrs[name] === true ? ` ${name}` : ''))
  return `${tag}${spans}${attributes(attrs, attributesOf(tag))}${flags.join('')}`
}

const spansOf = (attrs: Node['attrs']): Node['attrs'] =>
  Object.fromEntries(
    SPANS.flatMap((name) => {
      const count = Number(attrs[name])
      return Number.isInteger(count) && count > 1 ? [[name, String(count)]] : []
    }),
  )

function markElement(mark: unknown): readonly MarkElement[] {
  const { type, attrs } = nodeOf(mark)
  const tag = type === 'link' ? 'a' : tagOf({ type, attrs })
  if (tag === null) return []
  const { apart } = attrs
  return [{ open: `<${openTag(tag, attrs)}>`, close: `</${tag}>`, apart: typeof apart === 'number' ? apart : 0 }]
}

/** Empty attributes are left out. */
function attributes(attrs: Node['attrs'], names: readonly string[]): string {
  const pairs = names.flatMap((name) => {
    const value = attrs[name]
    return typeof value === 'string' && value !== '' ? [` ${name}="${escapeHtml(value)}"`] : []
  })
  return pairs.join('')
}

/** The same output as the sanitiser's. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
