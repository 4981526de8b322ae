import type { html, Token } from 'parse5'

/** An element of a page, or the page itself. Children are a linked list: insertion before any of them takes constant time. */
export interface HtmlElement {
  /** In lower case, except some names of SVG; `''` for the page itself. */
  readonly tag: string
  readonly namespace: html.NS
  readonly attributes: Token.Attribute[]
  parent: HtmlElement | undefined
  previous: HtmlNode | undefined
  next: HtmlNode | undefined
  first: HtmlNode | undefined
  last: HtmlNode | undefined
}

export interface HtmlText {
  text: string
  parent: HtmlElement | undefined
  previous: HtmlNode | undefined
  next: HtmlNode | undefined
}

/**
 * Adjacent elements and texts that the parser never changes again, as a sequence of records. An object for each would take a
 * hundred bytes or more; a page of 10 MB can contain five million of them.
 *
 * A record begins with U+0000, which HTML does not allow in texts, tags and attributes, and a letter for its kind
 * (`finished-parts.ts`).
 */
export interface FinishedPart {
  /** In reverse order, so that adding in front takes constant time. */
  readonly front: Strings
  /** Follow the strings of `front`. */
  readonly back: Strings
  parent: HtmlElement | undefined
  previous: HtmlNode | undefined
  next: HtmlNode | undefined
}

/** Each string contains one record or more. Those at the end that are not joined yet are `loose`. */
export interface Strings {
  readonly list: string[]
  loose: number
}

export type HtmlNode = HtmlElement | HtmlText | FinishedPart

export const isText = (node: HtmlNode): node is HtmlText => 'text' in node
export const isFinished = (node: HtmlNode): node is FinishedPart => 'front' in node

/** Receives HTML in document order; every `open` has its `close`. */
export interface HtmlHandler {
  open(tag: string, attribute: (name: string) => string | undefined): void
  close(tag: string): void
  text(text: string): void
}
