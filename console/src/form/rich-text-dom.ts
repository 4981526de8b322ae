import {
  BLOCK_TAGS,
  directionOf,
  headingLevel,
  MARK_TAGS,
  type RichMark,
  type RichNode,
  safeAddress,
  spansOf,
} from './rich-document.ts'

/** Creates elements for the editor one by one, with texts as text nodes. Markup is never parsed. */
export function domOf(document: RichNode): DocumentFragment {
  const made = new DocumentFragment()
  for (const node of document.content ?? []) made.append(elementOf(node))
  return made
}

function elementOf(node: RichNode): Node {
  if (node.type === 'text')
    return (node.marks ?? []).reduceRight<Node>(markedBy, document.createTextNode(node.text ?? ''))
  if (node.type === 'hardBreak') return document.createElement('br')
  if (node.type === 'horizontalRule') return attributed(document.createElement('hr'), node.attrs)
  const tag = node.type === 'heading' ? `h${headingLevel(node)}` : BLOCK_TAGS[node.type]
  if (tag === undefined) return unknownNode(node)
  const element = attributed(document.createElement(tag), node.attrs)
  Object.assign(element, spansOf(node))
  for (const child of node.content ?? []) element.append(elementOf(child))
  if (tag === 'p' && element.childNodes.length === 0) element.append(document.createElement('br'))
  return element
}

/** Attributes of elements that have no effect in the editor. */
const KEPT = ['class', 'name', 'target', 'rel'] as const

/**
 * Attributes that are written back unchanged. Those without an effect here are in one of the editor: the class of a text is none of the
 * console, and the browser copies all of them to the other half of a paragraph that is split.
 */
function attributed<T extends HTMLElement>(element: T, attrs: RichNode['attrs'] = {}): T {
  for (const [name, value] of Object.entries(directionOf({ attrs }))) element.setAttribute(name, value)
  const kept = KEPT.filter((name) => typeof attrs[name] === 'string').map((name) => [name, attrs[name]])
  if (kept.length > 0) element.dataset['kept'] = JSON.stringify(Object.fromEntries(kept))
  return element
}

/** In the order of the server, so that a document whose edits were undone equals the stored one. */
function keptOf({ dataset, attributes }: HTMLElement): Readonly<Record<string, string>> {
  const { class: name, ...ofLink } = JSON.parse(dataset['kept'] ?? '{}') as Record<string, string>
  const [dir, lang] = ['dir', 'lang'].map((each) => attributes.getNamedItem(each)?.value)
  const all = { ...ofLink, class: name, dir, lang }
  return Object.fromEntries(Object.entries(all).flatMap(([key, value]) => (value ? [[key, value]] : [])))
}

/** A node that the editor does not know: it cannot be edited and is written back unchanged. */
function unknownNode(node: RichNode): HTMLElement {
  const element = document.createElement('span')
  element.contentEditable = 'false'
  element.dataset['node'] = JSON.stringify(node)
  element.textContent = `[${String(node.attrs?.['alt'] ?? node.type)}]`
  return element
}

function markedBy(inner: Node, { type, attrs }: RichMark): Node {
  const href = type === 'link' ? safeAddress(attrs?.['href']) : null
  const tag = href === null ? MARK_TAGS[type] : 'a'
  if (tag === undefined) return inner
  const element = attributed(document.createElement(tag), attrs)
  if (href !== null) element.setAttribute('href', href)
  if (href !== null && typeof attrs?.['title'] === 'string') element.title = attrs['title']
  element.append(inner)
  return element
}

const BLOCKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(BLOCK_TAGS).map(([type, tag]) => [tag, type])),
  div: 'paragraph',
}
const MARKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(MARK_TAGS).map(([type, tag]) => [tag, type])),
  b: 'bold',
  i: 'italic',
  strike: 'strike',
  del: 'strike',
}

/** The document that the elements represent. */
export const documentOf = (root: Element | DocumentFragment): RichNode => ({ type: 'doc', content: blocksOf(root) })

/** Whether the elements represent the document, also if the browser has made others of them. */
export const represents = (root: Element, document: RichNode): boolean =>
  JSON.stringify(documentOf(root)) === JSON.stringify(documentOf(domOf(document)))

/** Blocks of a parent element. Texts between blocks become paragraphs. */
function blocksOf(parent: Element | DocumentFragment): readonly RichNode[] {
  const blocks: RichNode[] = []
  let line: RichNode[] = []
  const endLine = (): void => {
    if (line.length > 0) blocks.push(paragraphOf(merged(line), {}))
    line = []
  }
  for (const child of parent.childNodes) {
    const block = child instanceof HTMLElement ? blockOf(child) : null
    if (block === null) line.push(...inlinesOf(child, []))
    else {
      endLine()
      blocks.push(...block)
    }
  }
  endLine()
  return blocks
}

function blockOf(element: HTMLElement): readonly RichNode[] | null {
  const tag = element.tagName.toLowerCase()
  if (element.dataset['node'] !== undefined) return [JSON.parse(element.dataset['node']) as RichNode]
  const kept = keptOf(element)
  if (tag === 'hr') return [nodeOf('horizontalRule', kept, [])]
  if (tag === 'tbody') return blocksOf(element)
  if (/^h[1-6]$/.test(tag)) return [nodeOf('heading', { level: Number(tag[1]), ...kept }, lineOf(element))]
  const type = BLOCKS[tag]
  if (type === undefined) return null
  if (type === 'paragraph') return hasBlocks(element) ? blocksOf(element) : [paragraphOf(lineOf(element), kept)]
  if (type === 'codeBlock') return [nodeOf(type, kept, lineOf(element))]
  return [nodeOf(type, { ...cellOf(element), ...kept }, blocksOf(element))]
}

/** The server leaves out what is empty, too. */
const nodeOf = (type: string, attrs: object, content: readonly RichNode[]): RichNode => ({
  type,
  ...(Object.keys(attrs).length === 0 ? {} : { attrs: { ...attrs } }),
  ...(content.length === 0 ? {} : { content }),
})

function cellOf(element: HTMLElement): object {
  if (!(element instanceof HTMLTableCellElement)) return {}
  const spans = [['colspan', element.colSpan] as const, ['rowspan', element.rowSpan] as const]
  return Object.fromEntries(spans.filter(([, count]) => count > 1))
}

const hasBlocks = (element: Element): boolean =>
  [...element.children].some(({ tagName }) => tagName.toLowerCase() in BLOCKS || /^H[1-6R]$/.test(tagName))

const lineOf = (element: Element): readonly RichNode[] =>
  merged([...element.childNodes].flatMap((child) => inlinesOf(child, [])))

/** As the server does it: texts with the same marks, one after the other, are one. The browser splits them. */
function merged(nodes: readonly RichNode[]): readonly RichNode[] {
  const line: RichNode[] = []
  for (const node of nodes) {
    const before = line.at(-1)
    const isSame = before?.type === 'text' && JSON.stringify(before.marks) === JSON.stringify(node.marks)
    if (isSame && node.type === 'text') line.splice(-1, 1, { ...before, text: `${before.text}${node.text}` })
    else line.push(node)
  }
  return line
}

/** Leaves out a break at the end of the line: it only gives the caret a place. */
function paragraphOf(line: readonly RichNode[], attrs: object): RichNode {
  return nodeOf('paragraph', attrs, line.at(-1)?.type === 'hardBreak' ? line.slice(0, -1) : line)
}

/**
 * Browsers make a non-breaking space of one that is typed beside another, or at an end of a text. Those between two words are the author's:
 * 10 000, § 5.
 */
const typedSpace = /(?<!\S)\u00a0|\u00a0(?!\S)/g

function inlinesOf(node: Node, marks: readonly RichMark[]): readonly RichNode[] {
  if (node instanceof Text) {
    const text = node.data.replaceAll(typedSpace, ' ')
    if (text === '') return []
    return [marks.length === 0 ? { type: 'text', text } : { type: 'text', text, marks }]
  }
  if (!(node instanceof HTMLElement)) return []
  if (node.dataset['node'] !== undefined) return [JSON.parse(node.dataset['node']) as RichNode]
  const tag = node.tagName.toLowerCase()
  if (tag === 'br') return [{ type: 'hardBreak' }]
  const href = tag === 'a' ? safeAddress(node.getAttribute('href')) : null
  const mark: RichMark | null =
    href !== null
      ? { type: 'link', attrs: { href, ...(node.title === '' ? {} : { title: node.title }), ...keptOf(node) } }
      : MARKS[tag] === undefined
        ? null
        : nodeOf(MARKS[tag], keptOf(node), [])
  const inner = mark === null ? marks : [...marks, mark]
  return [...node.childNodes].flatMap((child) => inlinesOf(child, inner))
}
