import { Fragment, type Mark, type MarkType, type Node, type NodeType } from 'prosemirror-model'
import { isInline, type RichMark, type RichNode } from './rich-document.ts'
import { richSchema } from './rich-schema.ts'

const { nodes } = richSchema
const nodeTypes: Readonly<Record<string, NodeType>> = nodes
const markTypes: Readonly<Record<string, MarkType>> = richSchema.marks

/**
 * What nodes were made of. The editor keeps the nodes that an edit does not touch, and they are written back as they were: also what
 * its schema has no place for, such as an empty cell, or marks in another order.
 */
const origins = new WeakMap<Node, RichNode>()

/** The document as the editor holds it; an empty one has a paragraph. */
export const editedOf = (document: RichNode | null): Node =>
  nodes.doc.create(null, document?.content?.length ? blocksOf(document.content, blockOf) : nodes.paragraph.create())

/** The document of what the editor holds. */
export const richOf = (node: Node): RichNode => {
  const origin = origins.get(node)
  if (origin !== undefined) return origin
  if (node.isText) return { type: 'text', text: node.text ?? '', ...marksOf(node.marks) }
  if (node.type === nodes.tableColumns) return node.attrs['node']
  if (node.type === nodes.kept) {
    const { marks: _before, ...kept }: RichNode = node.attrs['node']
    return { ...kept, ...marksOf(node.marks) }
  }
  const { given } = node.attrs
  return {
    type: node.type.name,
    ...(given ? { attrs: given } : {}),
    ...(node.childCount === 0 ? {} : { content: node.children.map((child) => childOf(child, node)) }),
    ...marksOf(node.marks),
  }
}

/** Without an element, a blank text, or an empty one beside others, would not be read again. */
function childOf(child: Node, { childCount }: Node): RichNode {
  const first = child.firstChild
  // As the server reads blank texts: a no-break space is none.
  const isEmpty = first === null ? childCount > 1 : first.isText && /^[\t\n\f\r ]*$/.test(first.text ?? '')
  const isLost = child.type === nodes.paragraph && child.attrs['given']?.tag === '' && isEmpty
  const written = richOf(child)
  if (!isLost) return written
  const { attrs: _noElement, ...inElement } = written
  return inElement
}

const marksOf = (all: readonly Mark[]): { readonly marks?: readonly RichMark[] } =>
  all.length === 0
    ? {}
    : { marks: all.map(({ type, attrs: { given } }) => ({ type: type.name, ...(given ? { attrs: given } : {}) })) }

/** A place for text that is directly in its parent: an empty cell stays one. */
const NO_ELEMENT: RichNode = { type: 'paragraph', attrs: { tag: '' } }

/** Blocks for a node that must have some. Texts between blocks become paragraphs. */
function blocksOf(content: readonly RichNode[], made: (node: RichNode) => Node): readonly Node[] {
  const blocks: Node[] = []
  let line: RichNode[] = []
  const endLine = (): void => {
    if (line.length > 0) blocks.push(made({ type: 'paragraph', content: line }))
    line = []
  }
  for (const node of content) {
    if (isInline(node)) line.push(node)
    else {
      endLine()
      blocks.push(made(node))
    }
  }
  endLine()
  return blocks.length > 0 ? blocks : [made(NO_ELEMENT)]
}

/** What the editor expects in a node; in markup, anything may be there. */
const PARTS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  bulletList: ['listItem'],
  orderedList: ['listItem'],
  table: ['tableRow', 'tableSection', 'tableCaption', 'tableColumns', 'tableColumn'],
  tableSection: ['tableRow'],
  tableRow: ['tableCell', 'tableHeader'],
}

/** Parts of a table that have nothing to edit. */
const COLUMNS: ReadonlySet<string> = new Set(['tableColumns', 'tableColumn'])

/** In what a part is displayed that is outside of such a node. */
const AROUND: Readonly<Record<string, string>> = {
  listItem: 'bulletList',
  tableRow: 'table',
  tableSection: 'table',
  tableCaption: 'table',
  tableColumns: 'table',
  tableColumn: 'table',
  tableCell: 'tableRow',
  tableHeader: 'tableRow',
}

function blockOf(node: RichNode): Node {
  const around = AROUND[node.type]
  if (around !== undefined) return madeOf(node, blockOf({ type: around, content: [node] }))
  const type = nodeTypes[node.type]
  if (type?.isInGroup('block')) return partOf(node)
  return madeOf(node, nodes.paragraph.create(null, nodes.kept.create({ node })))
}

/** A node whose type fits where it is. */
function partOf(node: RichNode): Node {
  const { type: name, attrs: given = null, content = [] } = node
  if (COLUMNS.has(name)) return nodes.tableColumns.create({ node })
  const type = nodeTypes[name] ?? nodes.paragraph
  if (type.isLeaf) return madeOf(node, type.create({ given }))
  if (type.isTextblock) return madeOf(node, type.create({ given }, lineOf(content, type.spec.code === true)))
  const parts = PARTS[name]
  const childOf = (child: RichNode): Node => {
    if (parts === undefined) return blockOf(child)
    return parts.includes(child.type) ? partOf(child) : madeOf(child, partOf({ type: parts[0], content: [child] }))
  }
  return madeOf(node, type.create({ given }, blocksOf(content, childOf)))
}

function madeOf(origin: RichNode, made: Node): Node {
  origins.set(made, origin)
  return made
}

/** Line ends in markup are spaces. */
const lineOf = (content: readonly RichNode[], isCode: boolean): Fragment =>
  Fragment.from(
    content.flatMap((node) => {
      const marks = markedBy(node.marks ?? [])
      if (node.type === 'hardBreak') return nodes.hardBreak.create({ given: node.attrs ?? null }, null, marks)
      if (node.type !== 'text') return nodes.kept.create({ node }, null, marks)
      const text = isCode ? node.text : node.text?.replaceAll(/[\t\n\r]+/g, ' ')
      return text ? richSchema.text(text, marks) : []
    }),
  )

const markedBy = (all: readonly RichMark[]): readonly Mark[] =>
  all.reduce<readonly Mark[]>(
    (set, { type, attrs: given = null }) => markTypes[type]?.create({ given }).addToSet(set) ?? set,
    [],
  )
