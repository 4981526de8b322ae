import type { Node } from 'prosemirror-model'
import { type EditorState, Selection, type Transaction } from 'prosemirror-state'
import { stateOf } from './rich-commands.ts'

/**
 * The state after the document has become another one, such as that of the server after a save, which may number equal elements in another
 * way. Where only attributes and marks differ, the caret and what can be undone stay. Otherwise the caret stays near where it was.
 */
export function adopted(state: EditorState, doc: Node): EditorState {
  const made = withAttributesOf(state.tr.setMeta('addToHistory', false), doc)
  if (made !== null) return state.apply(made)
  const next = stateOf(doc)
  const at = placeIn(state.doc, doc, state.selection.head)
  return next.apply(next.tr.setSelection(Selection.near(next.doc.resolve(at))))
}

/** null: more than attributes and marks differs. */
function withAttributesOf(tr: Transaction, doc: Node): Transaction | null {
  if (!hasSameNodes(tr.doc, doc)) return null
  doc.descendants((node, pos) => {
    const before = tr.doc.nodeAt(pos)
    if (before !== null && !node.isText && !node.hasMarkup(before.type, before.attrs, node.marks))
      for (const [name, value] of Object.entries(node.attrs)) tr.setNodeAttribute(pos, name, value)
    if (node.isTextblock && before !== null && elementsIn(before) !== elementsIn(node)) setMarks(tr, node, pos + 1)
    return !node.isText
  })
  return tr
}

/** Which marks are around the nodes of a line. The numbers of equal elements count only where they keep two apart: an undo needs its own. */
function elementsIn(block: Node): string {
  const counts = new Map<string, number>()
  const all = block.children.map(({ marks, nodeSize }, at) => {
    const before = block.maybeChild(at - 1)?.marks ?? []
    const names = marks.map((mark) => {
      const { apart: _number, ...given } = mark.attrs['given'] ?? {}
      const name = JSON.stringify([mark.type.name, given])
      const count = (counts.get(name) ?? 0) + (mark.isInSet(before) ? 0 : 1)
      counts.set(name, count)
      return `${name} ${count}`
    })
    return [nodeSize, names]
  })
  return JSON.stringify(all)
}

function setMarks(tr: Transaction, block: Node, start: number): void {
  tr.removeMark(start, start + block.content.size)
  block.forEach((node, offset) => {
    const from = start + offset
    for (const mark of node.marks) tr.addMark(from, from + node.nodeSize, mark)
  })
}

function hasSameNodes(one: Node, other: Node): boolean {
  if (one.type !== other.type || one.content.size !== other.content.size) return false
  if (one.isTextblock) return wordsOf(one) === wordsOf(other)
  return one.childCount === other.childCount && one.children.every((child, at) => hasSameNodes(child, other.child(at)))
}

const wordsOf = (block: Node): string =>
  block.textBetween(0, block.content.size, null, ({ type }) => `\0${type.name}\0`)

/** Where a place is in another document that begins and ends like this one. */
function placeIn(before: Node, after: Node, place: number): number {
  const start = before.content.findDiffStart(after.content)
  const end = before.content.findDiffEnd(after.content)
  if (start === null || end === null || place <= start) return place
  return Math.min(after.content.size, Math.max(start, place >= end.a ? place + end.b - end.a : Math.min(place, end.b)))
}
