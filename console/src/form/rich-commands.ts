import {
  baseKeymap,
  chainCommands,
  createParagraphNear,
  liftEmptyBlock,
  newlineInCode,
  splitBlockAs,
  toggleMark,
} from 'prosemirror-commands'
import { gapCursor } from 'prosemirror-gapcursor'
import { history, redo, undo } from 'prosemirror-history'
import { keymap } from 'prosemirror-keymap'
import type { Mark, Node, NodeType, ResolvedPos } from 'prosemirror-model'
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list'
import {
  AllSelection,
  type Command,
  EditorState,
  NodeSelection,
  Plugin,
  TextSelection,
  type Transaction,
} from 'prosemirror-state'
import { isCheckbox } from './rich-document.ts'
import { richSchema } from './rich-schema.ts'

const { nodes, marks } = richSchema

const breakLine: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hardBreak.create()).scrollIntoView())
  return true
}

/** The next paragraph of an element such as `div` or `dd` is one, too. After a term, its description follows. */
const splitElement = splitBlockAs(({ type, attrs: { given } }, atEnd) => {
  const tag: unknown = given?.tag
  if (type !== nodes.paragraph || tag === undefined || tag === 'figcaption') return null
  return { type, attrs: { given: { tag: tag === 'dt' && atEnd ? 'dd' : tag } } }
})

/** Ticks the box at a place, or takes the tick away; null: there is none. */
export function tickAt(state: EditorState, pos: number): Transaction | null {
  const node = state.doc.nodeAt(pos)
  const kept = node?.type === nodes.kept ? node.attrs['node'] : null
  if (node === null || kept === null || !isCheckbox(kept)) return null
  const { checked, ...others } = kept.attrs
  const next = { ...kept, attrs: checked === true ? others : { ...others, checked: true } }
  return state.tr.setNodeMarkup(pos, null, { node: next }, node.marks)
}

/** The text of a new item is in no paragraph of its own, if that before is in none. */
const splitItem: Command = (state, dispatch) => {
  const { parent } = state.selection.$from
  const split = (made: Transaction): void => {
    const { $from } = made.selection
    const isText = hasNoElement(parent) && $from.parent.type === nodes.paragraph
    dispatch?.(isText ? made.setNodeMarkup($from.before(), null, parent.attrs) : made)
  }
  return splitListItem(nodes.listItem)(state, dispatch && split)
}

/** Outside of its list, a term or description is a paragraph. */
const leaveBlock: Command = (state, dispatch) => {
  const leave = (made: Transaction): void => {
    const { $from } = made.selection
    const isPart = ['dt', 'dd'].includes($from.parent.attrs['given']?.tag)
    const isInList = $from.depth > 1 && $from.node(-1).type === nodes.container
    dispatch?.(isPart && !isInList ? made.setNodeMarkup($from.before(), null, { given: null }) : made)
  }
  return liftEmptyBlock(state, dispatch && leave)
}

const tickSelected: Command = (state, dispatch) => {
  const ticked = state.selection instanceof NodeSelection ? tickAt(state, state.selection.from) : null
  if (ticked === null) return false
  dispatch?.(ticked.setSelection(NodeSelection.create(ticked.doc, state.selection.from)))
  return true
}

const keys: Readonly<Record<string, Command>> = {
  'Mod-z': undo,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  'Mod-b': toggleMark(marks.bold),
  'Mod-i': toggleMark(marks.italic),
  'Mod-u': toggleMark(marks.underline),
  // The title of a table cannot be split.
  Enter: chainCommands(splitItem, newlineInCode, createParagraphNear, leaveBlock, splitElement, breakLine),
  Space: tickSelected,
  'Shift-Enter': breakLine,
  // Tab leaves the field.
  'Mod-]': sinkListItem(nodes.listItem),
  'Mod-[': liftListItem(nodes.listItem),
}

/**
 * Text that is directly in a cell or an item: two paragraphs of it beside one another need elements, and the server writes them so. Lines of
 * code that come into another text are lines there, too.
 */
const elementsOfText = new Plugin({
  appendTransaction(transactions, _before, { doc, tr }) {
    if (!transactions.some(({ docChanged }) => docChanged)) return null
    doc.descendants((node, pos, parent, index) => {
      const isBeside = [index - 1, index + 1].some((other) => hasNoElement(parent?.maybeChild(other)))
      if (hasNoElement(node) && isBeside) tr.setNodeMarkup(pos, null, { given: null })
      if (node.isText && parent?.type.spec.code !== true)
        for (const { index: at } of (node.text ?? '').matchAll(/\n/g))
          tr.replaceWith(pos + at, pos + at + 1, nodes.hardBreak.create(null, null, node.marks))
      return true
    })
    return tr.docChanged ? tr : null
  },
})

const hasNoElement = (node: Node | null | undefined): boolean =>
  node?.type === nodes.paragraph && node.attrs['given']?.tag === ''

export const stateOf = (doc: Node): EditorState =>
  EditorState.create({ doc, plugins: [keymap(keys), keymap(baseKeymap), history(), gapCursor(), elementsOfText] })

const isList = ({ type }: Node): boolean => type === nodes.bulletList || type === nodes.orderedList

/** The innermost list that has the whole selection. */
function listAround({ selection }: EditorState): { readonly node: Node; readonly pos: number } | null {
  const { $from, $to } = selection
  for (let depth = $from.sharedDepth($to.pos); depth > 0; depth -= 1) {
    const node = $from.node(depth)
    if (isList(node)) return { node, pos: $from.before(depth) }
  }
  return null
}

/** `Ctrl + A` selects the document, which is in no list; commands need the texts in it. */
function withTextSelected(state: EditorState): EditorState {
  const { doc, selection, tr } = state
  if (!(selection instanceof AllSelection)) return state
  return state.apply(tr.setSelection(TextSelection.between(doc.resolve(0), doc.resolve(doc.content.size))))
}

/** Makes one list of selected blocks, if some of them are lists. */
const joinInList =
  (type: NodeType): Command =>
  ({ selection: { $from, $to }, tr }, dispatch) => {
    const range = $from.blockRange($to)
    const blocks = range?.parent.children.slice(range.startIndex, range.endIndex) ?? []
    if (range === null || !blocks.some(isList)) return false
    const items = blocks.flatMap((block) => (isList(block) ? block.children : [nodes.listItem.create(null, block)]))
    tr.replaceWith(range.start, range.end, type.create(null, items))
    const end = tr.doc.resolve(tr.mapping.map(range.end))
    dispatch?.(tr.setSelection(TextSelection.between(tr.doc.resolve(range.start), end)))
    return true
  }

/** Makes items of the selected blocks; of items, blocks again, or items of the other kind of list. */
const toggleList =
  (type: NodeType): Command =>
  (current, dispatch, view) => {
    const state = withTextSelected(current)
    const list = listAround(state)
    if (list === null) return chainCommands(joinInList(type), wrapInList(type))(state, dispatch, view)
    if (list.node.type === type) return liftListItem(nodes.listItem)(state, dispatch, view)
    dispatch?.(state.tr.setNodeMarkup(list.pos, type, list.node.attrs))
    return true
  }

const removeMarks: Command = (state, dispatch) => {
  const { from, to } = state.selection
  dispatch?.(state.tr.removeMark(from, to).setStoredMarks([]))
  return true
}

/** What the toolbar offers, by name. */
export const commands = {
  bold: toggleMark(marks.bold),
  italic: toggleMark(marks.italic),
  underline: toggleMark(marks.underline),
  bulletList: toggleList(nodes.bulletList),
  orderedList: toggleList(nodes.orderedList),
  plain: removeMarks,
} as const satisfies Readonly<Record<string, Command>>

export type CommandName = keyof typeof commands

/** Whether what is typed at the selection gets this mark, or is in this kind of list. */
export function isActive(name: CommandName, state: EditorState): boolean {
  if (name === 'plain') return false
  if (name === 'bulletList' || name === 'orderedList')
    return listAround(withTextSelected(state))?.node.type === nodes[name]
  const { from, to, empty, $from } = state.selection
  if (empty) return marks[name].isInSet(state.storedMarks ?? $from.marks()) !== undefined
  return state.doc.rangeHasMark(from, to, marks[name])
}

/** The link in which the caret or the begin of the selection is. */
export const linkAt = ({ selection: { $from, empty } }: EditorState): Mark | undefined =>
  marks.link.isInSet((empty ? $from.marks() : $from.nodeAfter?.marks) ?? [])

/** Links the selection, the link in which the caret is, or the address itself, if neither is there. Without an address: no link. */
export const setLink =
  (href: string): Command =>
  (state, dispatch) => {
    const link = linkAt(state)
    const { from, to } =
      state.selection.empty && link !== undefined ? extentOf(link, state.selection.$from) : state.selection
    const given = { ...link?.attrs['given'], href }
    const made = marks.link.create({ given })
    const { tr } = state
    if (href === '') tr.removeMark(from, to, marks.link)
    else if (from === to) tr.insert(from, richSchema.text(href, [made]))
    else tr.addMark(from, to, made)
    dispatch?.(tr)
    return true
  }

/** From where to where the mark reaches around a place in it. */
function extentOf(mark: Mark, place: ResolvedPos): { readonly from: number; readonly to: number } {
  const { parent } = place
  const hasMark = (index: number): boolean =>
    index >= 0 && index < parent.childCount && mark.isInSet(parent.child(index).marks)
  let first = place.index()
  let end = first + 1
  while (hasMark(first - 1)) first -= 1
  while (hasMark(end)) end += 1
  return { from: place.posAtIndex(first), to: place.posAtIndex(end) }
}
