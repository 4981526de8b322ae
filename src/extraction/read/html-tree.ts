import { html, Parser, type Token, type TreeAdapter, type TreeAdapterTypeMap } from 'parse5'
import { finishBefore, finishElement } from './finished-parts.ts'
import { hidingStyle } from './hiding-style.ts'
import { type HtmlElement, type HtmlNode, type HtmlText, isFinished, isText } from './html-nodes.ts'
import { spanOf } from './table-rows.ts'

/**
 * The tree of a page by the HTML standard. It keeps only what is needed to read text: no comments, no scripts, no styles, and
 * only the attributes of `keptAttributes`. Finished content is stored compactly (`finished-parts.ts`).
 */
export function parseHtmlTree(page: string): HtmlElement {
  const parser = new PageParser({ treeAdapter: adapter })
  for (let from = 0; from < page.length; from += pieceUnits)
    parser.tokenizer.write(page.slice(from, from + pieceUnits), from + pieceUnits >= page.length)
  return parser.document
}

const pieceUnits = 1 << 16

/**
 * `style` in the form of `hidingStyle`. Objects also keep `data`, without its value, if a browser loads its target; cells, how many columns
 * and rows they take.
 */
const keptAttributes: ReadonlySet<string> = new Set(['hidden', 'style', 'lang', 'xml:lang'])
const hidingAttributes: ReadonlySet<string> = new Set(['hidden', 'style', 'data'])

type Tree = TreeAdapterTypeMap<
  HtmlNode,
  HtmlElement,
  HtmlNode,
  HtmlElement,
  HtmlElement,
  HtmlElement,
  HtmlElement,
  HtmlText,
  HtmlElement,
  HtmlElement
>

/**
 * The standard reopens unclosed formatting elements in each later paragraph, at most three equal ones. Attributes that do not
 * matter for text are dropped, so that few of them differ: otherwise a malicious page makes a tree of quadratic size.
 */
const formattingTags: ReadonlySet<string> = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))

/**
 * Far above the nesting of real pages. Start tags at this depth are skipped and their text is read; browsers do the same, at
 * 512.
 */
const maxDepth = 20_000
/** Their content is parsed in another way, at any depth. */
const opaqueTags: ReadonlySet<string> = new Set(
  'script style template noscript noembed noframes iframe title textarea xmp plaintext object canvas audio video datalist'.split(
    ' ',
  ),
)

class PageParser extends Parser<Tree> {
  override onStartTag(token: Token.TagToken): void {
    // Written as an empty element, so it is not intended to hide what follows. The standard ignores the slash.
    if (token.selfClosing) token.attrs = token.attrs.filter(({ name }) => !hidingAttributes.has(name))
    if (!this.currentNotInHTML && formattingTags.has(token.tagName)) token.attrs = kept(token.attrs)
    if (this.openElements.depth < maxDepth || opaqueTags.has(token.tagName)) super.onStartTag(token)
  }
}

function kept(attributes: readonly Token.Attribute[]): Token.Attribute[] {
  if (!attributes.some(({ name }) => keptAttributes.has(name))) return none
  return attributes
    .filter(({ name }) => keptAttributes.has(name))
    .map(({ name, value }) => ({ name, value: name === 'style' ? hidingStyle(value) : value }))
    .filter(({ name, value }) => name !== 'style' || value !== '')
}
const none: Token.Attribute[] = []

/**
 * A browser loads the target of an object and displays it instead of the content, if it supports the type or has to request it.
 */
function loadedData(attributes: readonly Token.Attribute[]): Token.Attribute[] {
  const textOfAttribute = (requested: string): string =>
    attributes.find(({ name }) => name === requested)?.value.trim() ?? ''
  const type = textOfAttribute('type')
  const isLoaded = textOfAttribute('data') !== '' && (type === '' || typesOfBrowsers.test(type))
  return isLoaded ? [{ name: 'data', value: '' }] : none
}
const typesOfBrowsers = /^(?:image|audio|video|text)\/|^application\/(?:pdf|json|xml|[a-z.-]+\+(?:xml|json))\s*(?:;|$)/i

const spans = (attributes: readonly Token.Attribute[]): Token.Attribute[] =>
  attributes.filter(({ name, value }) => (name === 'colspan' || name === 'rowspan') && spanOf(value) > 1)

const elementOf = (tag: string, namespace: html.NS, attributes: Token.Attribute[]): HtmlElement => ({
  tag,
  namespace,
  attributes,
  parent: undefined,
  previous: undefined,
  next: undefined,
  first: undefined,
  last: undefined,
})
const textOf = (text: string): HtmlText => ({ text, parent: undefined, previous: undefined, next: undefined })

/** Represents all comments and document types, which are never part of the tree. */
const comment = elementOf('', html.NS.HTML, none)

const withoutText: ReadonlySet<string> = new Set(['script', 'style'])

/** @param before a child of the parent; absent: at the end */
function insert(parent: HtmlElement, node: HtmlNode, before?: HtmlNode): void {
  if (node === comment) return
  node.parent = parent
  node.next = before
  node.previous = before === undefined ? parent.last : before.previous
  if (node.previous === undefined) parent.first = node
  else node.previous.next = node
  if (before === undefined) parent.last = node
  else before.previous = node
  finishBefore(node)
}

function detach(node: HtmlNode): void {
  const { parent, previous, next } = node
  if (parent === undefined) return
  if (previous === undefined) parent.first = next
  else previous.next = next
  if (next === undefined) parent.last = previous
  else next.previous = previous
  node.parent = node.previous = node.next = undefined
}

function insertText(parent: HtmlElement, text: string, before?: HtmlNode): void {
  if (withoutText.has(parent.tag)) return
  const neighbour = before === undefined ? parent.last : before.previous
  if (neighbour !== undefined && isText(neighbour)) neighbour.text += text
  else insert(parent, textOf(text), before)
}

function childrenOf(parent: HtmlElement): HtmlNode[] {
  const children: HtmlNode[] = []
  for (let child = parent.first; child !== undefined; child = child.next) children.push(child)
  return children
}

const contents = new WeakMap<HtmlElement, HtmlElement>()
const modes = new WeakMap<HtmlElement, html.DOCUMENT_MODE>()
const page = (): HtmlElement => elementOf('', html.NS.HTML, none)

const adapter: TreeAdapter<Tree> = {
  createDocument: page,
  createDocumentFragment: page,
  createElement: (tag, namespace, attributes) => {
    const more = tag === 'object' ? loadedData(attributes) : tag === 'td' || tag === 'th' ? spans(attributes) : none
    return elementOf(tag, namespace, more.length === 0 ? kept(attributes) : [...kept(attributes), ...more])
  },
  createTextNode: textOf,
  createCommentNode: () => comment,
  appendChild: insert,
  insertBefore: insert,
  insertText,
  insertTextBefore: insertText,
  detachNode: detach,
  adoptAttributes(element, attributes) {
    const names = new Set(element.attributes.map(({ name }) => name))
    const missing = kept(attributes).filter(({ name }) => !names.has(name))
    if (missing.length > 0) Object.assign(element, { attributes: [...element.attributes, ...missing] })
  },
  getAttrList: ({ attributes }) => attributes,
  getTagName: ({ tag }) => tag,
  getNamespaceURI: ({ namespace }) => namespace,
  getParentNode: ({ parent }) => parent ?? null,
  getFirstChild: ({ first }) => first ?? null,
  getChildNodes: childrenOf,
  getTextNodeContent: ({ text }) => text,
  isTextNode: isText,
  isElementNode: (node): node is HtmlElement => !isText(node) && !isFinished(node) && node !== comment,
  isCommentNode: (node): node is HtmlElement => node === comment,
  isDocumentTypeNode: (_node): _node is HtmlElement => false,
  // The content of a template is not text of the page: it is not attached to the tree.
  setTemplateContent: (template, content) => void contents.set(template, content),
  getTemplateContent: (template) => contents.get(template) ?? page(),
  getDocumentMode: (document) => modes.get(document) ?? html.DOCUMENT_MODE.NO_QUIRKS,
  setDocumentMode: (document, mode) => void modes.set(document, mode),
  setDocumentType: () => undefined,
  getCommentNodeContent: () => '',
  getDocumentTypeNodeName: () => '',
  getDocumentTypeNodePublicId: () => '',
  getDocumentTypeNodeSystemId: () => '',
  getNodeSourceCodeLocation: () => undefined,
  setNodeSourceCodeLocation: () => undefined,
  updateNodeSourceCodeLocation: () => undefined,
  onItemPop: finishElement,
}
