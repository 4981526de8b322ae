import {
  BLOCK_TAGS,
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
  if (node.type === 'horizontalRule') return document.createElement('hr')
  const tag = node.type === 'heading' ? `h${headingLevel(node)}` : BLOCK_TAGS[node.type]
  if (tag === undefined) return unknownNode(node)
  const element = document.createElement(tag)
  Object.assign(element, spansOf(node))
  for (const child of node.content ?? []) element.append(elementOf(child))
  if (tag === 'p' && element.childNodes.length === 0) element.append(document.createElement('br'))
  return element
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
  const element = document.createElement(tag)
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
export const documentOf = (root: Element): RichNode => ({ type: 'doc', content: blocksOf(root) })

/** Blocks of a parent element. Texts between blocks become paragraphs. */
function blocksOf(parent: Element): readonly RichNode[] {
  const blocks: RichNode[] = []
  let line: RichNode[] = []
  const endLine = (): void => {
    if (line.length > 0) blocks.push(paragraphOf(line))
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
  if (tag === 'hr') return [{ type: 'horizontalRule' }]
  if (tag === 'tbody') return blocksOf(element)
  if (/^h[1-6]$/.test(tag)) return [{ type: 'heading', attrs: { level: Number(tag[1]) }, content: lineOf(element) }]
  const type = BLOCKS[tag]
  if (type === undefined) return null
  if (type === 'paragraph') return hasBlocks(element) ? blocksOf(element) : [paragraphOf(lineOf(element))]
  if (type === 'codeBlock') return [{ type, content: lineOf(element) }]
  return [{ type, ...attributesOf(element), content: blocksOf(element) }]
}

function attributesOf(element: HTMLElement): Pick<RichNode, 'attrs'> {
  if (!(element instanceof HTMLTableCellElement)) return {}
  const spans = [['colspan', element.colSpan] as const, ['rowspan', element.rowSpan] as const]
  const attrs = Object.fromEntries(spans.filter(([, count]) => count > 1))
  return Object.keys(attrs).length === 0 ? {} : { attrs }
}

const hasBlocks = (element: Element): boolean =>
  [...element.children].some((child) => child.tagName.toLowerCase() in BLOCKS)

const lineOf = (element: Element): RichNode[] => [...element.childNodes].flatMap((child) => inlinesOf(child, []))

/** Leaves out a break at the end of the line: it only gives the caret a place. */
function paragraphOf(line: readonly RichNode[]): RichNode {
  const content = line.at(-1)?.type === 'hardBreak' ? line.slice(0, -1) : line
  return content.length === 0 ? { type: 'paragraph' } : { type: 'paragraph', content }
}

function inlinesOf(node: Node, marks: readonly RichMark[]): readonly RichNode[] {
  if (node instanceof Text) {
    const text = node.data.replaceAll('\u00a0', ' ')
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
      ? { type: 'link', attrs: { href, ...(node.title === '' ? {} : { title: node.title }) } }
      : MARKS[tag] === undefined
        ? null
        : { type: MARKS[tag] }
  const inner = mark === null ? marks : [...marks, mark]
  return [...node.childNodes].flatMap((child) => inlinesOf(child, inner))
}
