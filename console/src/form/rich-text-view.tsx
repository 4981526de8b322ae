import { createElement, type ReactNode } from 'react'
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
import css from './rich-text.module.css'

/** Read-only rich text: elements of an allow-list, and text. No part of it is parsed as markup. */
export function RichTextView({ document }: { readonly document: RichNode }) {
  return <div className={css.rich}>{childrenOf(document)}</div>
}

const childrenOf = ({ content = [] }: RichNode): ReactNode =>
  content.map((node, at) => createElement(Node, { key: `${at} ${node.type}`, node }))

function Node({ node }: { readonly node: RichNode }): ReactNode {
  if (node.type === 'text') return (node.marks ?? []).reduceRight<ReactNode>(marked, node.text ?? '')
  if (node.type === 'hardBreak') return <br />
  if (node.type === 'horizontalRule') return <hr />
  if (node.type === 'image')
    return <span className={css.image}>{String(node.attrs?.['alt'] ?? node.attrs?.['src'] ?? '')}</span>
  if (node.type === 'heading')
    return createElement(`h${Math.min(6, headingLevel(node) + 2)}`, directionOf(node), childrenOf(node))
  const tag = BLOCK_TAGS[node.type]
  if (node.type === 'table') {
    return (
      <table {...directionOf(node)}>
        <tbody>{childrenOf(node)}</tbody>
      </table>
    )
  }
  return tag === undefined
    ? childrenOf(node)
    : createElement(tag, { ...spansOf(node), ...directionOf(node) }, childrenOf(node))
}

function marked(inner: ReactNode, { type, attrs }: RichMark): ReactNode {
  const tag = MARK_TAGS[type]
  const direction = directionOf(attrs === undefined ? {} : { attrs })
  if (tag !== undefined) return createElement(tag, direction, inner)
  const href = type === 'link' ? safeAddress(attrs?.['href']) : null
  // Without an address it is a place in the text.
  if (href === null || href === '') return inner
  return (
    <a {...direction} href={href} target="_blank" rel="noopener noreferrer">
      {inner}
    </a>
  )
}
