import { visitFinished } from './finished-parts.ts'
import { type HtmlElement, type HtmlHandler, type HtmlNode, isFinished, isText } from './html-nodes.ts'

/**
 * Traverses a page without recursion: time is linear in its length, for any nesting.
 *
 * @param after what happens to the tree: `released` frees each part as soon as it is read, which makes room for the text
 */
export function visitHtml(page: HtmlElement, handler: HtmlHandler, after: 'kept' | 'released' = 'kept'): void {
  let node: HtmlNode | undefined = page.first
  while (node !== undefined) {
    if (isText(node)) handler.text(node.text)
    else if (isFinished(node)) visitFinished(node, handler)
    else {
      handler.open(node.tag, attributesOf(node))
      if (node.first !== undefined) {
        node = node.first
        continue
      }
      handler.close(node.tag)
    }
    const next = following(node, page, handler)
    if (after === 'released' && next?.parent !== undefined) {
      next.previous = undefined
      next.parent.first = next
    }
    node = next
  }
}

/** The next node after this one; closes the elements that end before it. */
function following(node: HtmlNode, page: HtmlElement, handler: HtmlHandler): HtmlNode | undefined {
  let done = node
  while (done.next === undefined) {
    const { parent } = done
    if (parent === undefined || parent === page) return undefined
    handler.close(parent.tag)
    done = parent
  }
  return done.next
}

const attributesOf =
  ({ attributes }: HtmlElement) =>
  (requested: string): string | undefined =>
    attributes.find(({ name }) => name === requested)?.value
