import {
  type FinishedPart,
  type HtmlElement,
  type HtmlHandler,
  type HtmlNode,
  type HtmlText,
  isFinished,
  isText,
  type Strings,
} from './html-nodes.ts'

const separator = '\0'
const kinds = { open: '<', attribute: '@', text: '"', close: '>' } as const

/** They have no content and are never open, so they are finished from the start. */
const voidTags: ReadonlySet<string> = new Set(
  'area base basefont bgsound br embed frame hr img input keygen link meta param source track wbr'.split(' '),
)
/** The parser returns to them after their end. */
const reopenedTags: ReadonlySet<string> = new Set(['', 'html', 'head', 'body'])

/** Called when the parser closed an element: turns it into a finished part unless something in it is still open. */
export function finishElement(element: HtmlElement): void {
  if (element.parent === undefined || reopenedTags.has(element.tag)) return
  for (let child = element.first; child !== undefined; child = child.next)
    if (!isText(child) && !isFinished(child)) return
  replaceByPart(element)
}

/** Called when another node was added after this one; no text is added to it any more. */
export function finishBefore(node: HtmlNode): void {
  const done = node.previous
  if (done === undefined || isFinished(done)) return
  if (isText(done)) {
    const part = done.previous
    if (part !== undefined && isFinished(part)) replaceRange(part, done, addText(part, done))
  } else if (voidTags.has(done.tag) && done.first === undefined) replaceByPart(done)
}

/** Merges the text and the finished part in front of the element. */
function replaceByPart(element: HtmlElement): void {
  const own = partOf(element)
  const text = element.previous !== undefined && isText(element.previous) ? element.previous : undefined
  const before = text === undefined ? element.previous : text.previous
  if (before === undefined || !isFinished(before)) replaceRange(element, element, own)
  else replaceRange(before, element, merge(text === undefined ? before : addText(before, text), own))
}

/** Replaces the neighbours from `first` to `last` by a part. */
function replaceRange(first: HtmlNode, last: HtmlNode, part: FinishedPart): void {
  const { parent, previous } = first
  const { next } = last
  Object.assign(part, { parent, previous, next })
  if (previous !== undefined) previous.next = part
  else if (parent !== undefined) parent.first = part
  if (next !== undefined) next.previous = part
  else if (parent !== undefined) parent.last = part
}

// ── strings ──

const createPart = (): FinishedPart => ({
  front: { list: [], loose: 0 },
  back: { list: [], loose: 0 },
  parent: undefined,
  previous: undefined,
  next: undefined,
})

/** @param element with finished content only */
function partOf(element: HtmlElement): FinishedPart {
  let part = createPart()
  for (let child = element.first; child !== undefined; child = child.next) {
    if (isText(child)) addText(part, child)
    else if (isFinished(child)) part = merge(part, child)
  }
  addInFront(part, openingOf(element))
  add(part, `${separator}${kinds.close}${element.tag}`)
  return part
}

const openingOf = ({ tag, attributes }: HtmlElement): string =>
  attributes.reduce(
    (records, { name, value }) => `${records}${separator}${kinds.attribute}${name}=${value}`,
    `${separator}${kinds.open}${tag}`,
  )

function addText(part: FinishedPart, { text }: HtmlText): FinishedPart {
  add(part, `${separator}${kinds.text}${text}`)
  return part
}

const sizeOf = ({ front, back }: FinishedPart): number => front.list.length + back.list.length

/** Moves the strings of the smaller part into the larger one, so that each is moved only a few times. */
function merge(before: FinishedPart, behind: FinishedPart): FinishedPart {
  if (sizeOf(before) >= sizeOf(behind)) {
    for (const records of inOrder(behind)) add(before, records)
    return before
  }
  for (const records of [...inOrder(before)].reverse()) addInFront(behind, records)
  return behind
}

function* inOrder({ front, back }: FinishedPart): Generator<string> {
  for (let at = front.list.length - 1; at >= 0; at--) yield front.list[at] ?? ''
  yield* back.list
}

const maxLoose = 4_096

function add({ back }: FinishedPart, records: string): void {
  back.list.push(records)
  back.loose++
  if (back.loose >= maxLoose) back.list.push(looseOf(back).join(''))
}

function addInFront({ front }: FinishedPart, records: string): void {
  front.list.push(records)
  front.loose++
  if (front.loose >= maxLoose) front.list.push(looseOf(front).reverse().join(''))
}

function looseOf(strings: Strings): string[] {
  const loose = strings.list.splice(-strings.loose)
  strings.loose = 0
  return loose
}

/** Calls the handler as for the elements and texts themselves. */
export function visitFinished(part: FinishedPart, handler: HtmlHandler): void {
  for (const records of inOrder(part)) visitRecords(records, handler)
}

function visitRecords(records: string, handler: HtmlHandler): void {
  let at = 0
  while (at < records.length) {
    const end = endOf(records, at)
    const kind = records[at + 1]
    const content = records.slice(at + 2, end)
    at = end
    if (kind === kinds.text) handler.text(content)
    else if (kind === kinds.close) handler.close(content)
    else {
      const attributes = new Map<string, string>()
      while (records[at + 1] === kinds.attribute) {
        const attributeEnd = endOf(records, at)
        const nameEnd = records.indexOf('=', at)
        attributes.set(records.slice(at + 2, nameEnd), records.slice(nameEnd + 1, attributeEnd))
        at = attributeEnd
      }
      handler.open(content, (name) => attributes.get(name))
    }
  }
}

function endOf(records: string, at: number): number {
  const end = records.indexOf(separator, at + 1)
  return end === -1 ? records.length : end
}
