import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from 'parse5'

/** What a reader of HTML is told, in document order; every `open` of an element that has content gets its `close`. */
export interface HtmlHandler {
  /** Tag names are in lower case. */
  open(tag: string, attribute: (name: string) => string | undefined): void
  close(tag: string): void
  text(text: string): void
}

/**
 * Reads HTML as browsers cut it into tokens, without a tree: time and memory grow with the length of the text, whatever the
 * nesting. Tree builders that look through their stack at each tag do not come back from 200,000 open elements.
 */
export function readHtml(html: string, handler: HtmlHandler): void {
  const open = createOpenElements(handler)
  const characters = ({ chars }: Token.CharacterToken): void => handler.text(chars)
  const tokens: TokenHandler = {
    onStartTag({ tagName, attrs, selfClosing }) {
      open.closeImplied(tagName)
      handler.open(tagName, (name) => attrs.find((attribute) => attribute.name === name)?.value)
      if (voidElements.has(tagName) || (selfClosing && open.isForeign())) handler.close(tagName)
      else {
        open.push(tagName)
        const mode = rawTextModes.get(tagName)
        if (mode !== undefined && !open.isForeign()) tokenizer.state = mode
      }
    },
    onEndTag: ({ tagName }) => open.close(tagName),
    onCharacter: characters,
    onWhitespaceCharacter: characters,
    onNullCharacter: characters,
    onComment: () => undefined,
    onDoctype: () => undefined,
    onEof: () => open.closeAll(),
  }
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, tokens)
  for (let from = 0; from < html.length; from += pieceUnits) {
    tokenizer.write(html.slice(from, from + pieceUnits), from + pieceUnits >= html.length)
  }
  if (html === '') open.closeAll()
}

const pieceUnits = 1 << 16

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** Elements whose content is no markup. */
const rawTextModes = new Map([
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
])

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Elements that end an open paragraph when they begin. */
const endsParagraph = words(
  'address article aside blockquote center details dialog dir div dl dt dd fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol p pre section summary table ul',
)

/** The open element that a start tag closes, and the elements through which it does not reach. */
const impliedEnds: ReadonlyMap<string, { readonly ends: ReadonlySet<string>; readonly within: ReadonlySet<string> }> =
  new Map(
    [
      { starts: 'li', ends: 'li', within: 'ul ol menu table td th' },
      { starts: 'dt dd', ends: 'dt dd', within: 'dl table td th' },
      { starts: 'td th', ends: 'td th', within: 'tr table' },
      { starts: 'tr', ends: 'tr', within: 'table' },
      { starts: 'thead tbody tfoot', ends: 'thead tbody tfoot', within: 'table' },
      { starts: 'option optgroup', ends: 'option', within: 'select' },
    ].flatMap(({ starts, ends, within }) =>
      starts.split(' ').map((start) => [start, { ends: words(ends), within: words(within) }] as const),
    ),
  )
const paragraphEnd = { ends: words('p'), within: words('table td th button object caption svg math') }
const noReach = words('')

/** How many open elements are looked at for an implied end. Real documents nest less; forged ones must not cost more. */
const maxLookBack = 64

interface OpenElements {
  push(tag: string): void
  close(tag: string): void
  closeImplied(startTag: string): void
  closeAll(): void
  /** Inside SVG or MathML, where a slash ends an element and no content is raw. */
  isForeign(): boolean
}

function createOpenElements(handler: HtmlHandler): OpenElements {
  const stack: string[] = []
  const counts = new Map<string, number>()
  const countOf = (tag: string): number => counts.get(tag) ?? 0

  const popTo = (length: number): void => {
    while (stack.length > length) {
      const tag = stack.pop() ?? ''
      counts.set(tag, countOf(tag) - 1)
      handler.close(tag)
    }
  }
  const find = (ends: ReadonlySet<string>, within: ReadonlySet<string>): number => {
    for (let at = stack.length - 1; at >= Math.max(0, stack.length - maxLookBack); at--) {
      const tag = stack[at] ?? ''
      if (ends.has(tag)) return at
      if (within.has(tag)) return -1
    }
    return -1
  }
  const closeNearest = ({ ends, within }: { ends: ReadonlySet<string>; within: ReadonlySet<string> }): void => {
    const at = find(ends, within)
    if (at >= 0) popTo(at)
  }

  return {
    push(tag) {
      stack.push(tag)
      counts.set(tag, countOf(tag) + 1)
    },
    close(tag) {
      if (countOf(tag) === 0) return
      // A cell keeps what is closed in it from closing what stands around the table.
      const barrier = tableTags.has(tag) ? noReach : paragraphEnd.within
      if (find(barrier, words(tag)) >= 0) return
      while (stack.length > 0 && stack.at(-1) !== tag) popTo(stack.length - 1)
      popTo(stack.length - 1)
    },
    closeImplied(startTag) {
      if (endsParagraph.has(startTag) && countOf('p') > 0) closeNearest(paragraphEnd)
      const implied = impliedEnds.get(startTag)
      if (implied !== undefined) closeNearest(implied)
    },
    closeAll: () => popTo(0),
    isForeign: () => countOf('svg') > 0 || countOf('math') > 0,
  }
}

const tableTags = words('table thead tbody tfoot tr td th caption body html')
