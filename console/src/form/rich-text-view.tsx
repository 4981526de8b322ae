import { createElement, type ReactNode } from 'react'
import {
  blockTag,
  directionOf,
  headingLevel,
  isCheckbox,
  leafText,
  type RichMark,
  type RichNode,
  safeAddress,
  spansOf,
  tagOfMark,
} from './rich-document.ts'
import css from './rich-text.module.css'

/** Read-only rich text: elements of an allow-list, and text. No part of it is parsed as markup. */
export function RichTextView({ document }: { readonly document: RichNode }) {
  return <div className={css.rich}>{childrenOf(document)}</div>
}

const childrenOf = ({ content = [] }: RichNode): ReactNode => markedRuns(content, 0)

/** Nodes beside one another that have a mark in common are in one element of it, such as the two parts of a `ruby`. */
function markedRuns(content: readonly RichNode[], depth: number): ReactNode {
  return runsOf(content, depth).map(({ mark, nodes, at }) => {
    const key = `${at} ${nodes[0]?.type}`
    const [node] = nodes
    if (mark !== undefined) return createElement(Marked, { key, mark }, markedRuns(nodes, depth + 1))
    return node === undefined ? null : createElement(Node, { key, node })
  })
}

interface Run {
  readonly mark: RichMark | undefined
  readonly nodes: readonly RichNode[]
  /** Index of the first node. */
  readonly at: number
}

function runsOf(content: readonly RichNode[], depth: number): readonly Run[] {
  const runs: { mark: RichMark | undefined; name: string; nodes: RichNode[]; at: number }[] = []
  for (const [at, node] of content.entries()) {
    const mark = node.marks?.[depth]
    const name = mark === undefined ? '' : JSON.stringify(mark)
    const last = runs.at(-1)
    if (mark !== undefined && last?.name === name) last.nodes.push(node)
    else runs.push({ mark, name, nodes: [node], at })
  }
  return runs
}

function Node({ node }: { readonly node: RichNode }): ReactNode {
  if (node.type === 'text') return node.text ?? ''
  if (node.type === 'hardBreak') return <br />
  if (node.type === 'horizontalRule') return <hr />
  if (node.type === 'image')
    return <span className={css.image}>{String(node.attrs?.['alt'] ?? node.attrs?.['src'] ?? '')}</span>
  if (isCheckbox(node)) return leafText(node)
  if (node.type === 'heading')
    return createElement(`h${Math.min(6, headingLevel(node) + 2)}`, directionOf(node), childrenOf(node))
  if (node.type === 'table') return <Table node={node} />
  const block = blockTag(node)
  return block === null
    ? childrenOf(node)
    : createElement(block.tag, { ...spansOf(node), ...directionOf(node), 'data-tag': block.data }, childrenOf(node))
}

function Table({ node }: { readonly node: RichNode }) {
  const { content = [] } = node
  const rows = content.filter(({ type }) => type === 'tableRow')
  return (
    <table {...directionOf(node)}>
      {rows.length === content.length ? <tbody>{childrenOf(node)}</tbody> : childrenOf(node)}
    </table>
  )
}

function Marked({ mark, children }: { readonly mark: RichMark; readonly children?: ReactNode }): ReactNode {
  const { attrs } = mark
  const tag = tagOfMark(mark)
  const direction = directionOf(attrs === undefined ? {} : { attrs })
  if (tag !== null) return createElement(tag, direction, children)
  const href = mark.type === 'link' ? safeAddress(attrs?.['href']) : null
  // Without an address it is a place in the text.
  if (href === null || href === '') return children
  return (
    <a {...direction} href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
