import type { HtmlElement } from './html-nodes.ts'
import { visitHtml } from './visit-html.ts'

type Attribute = (name: string) => string | undefined

/** How text is shown inside of an element that is still open. */
export interface Level {
  readonly isDisplayed: boolean
  /** Has a place on the page, so that its blocks end lines. What is only transparent, invisible or tiny keeps its place. */
  readonly isLaidOut: boolean
  /** Not inside of an element whose content is no text of the page. */
  readonly isText: boolean
}

export interface Visibility {
  enter(tag: string, attribute: Attribute): Level
  leave(): Level
  /** Whether this text is to be read; hidden text is flagged once for each hidden element. */
  admits(text: string): boolean
}

/** Their content is no text of the page; that of an object is, unless a browser loads what it names (`html-tree.ts`). */
export const elementsWithoutText: ReadonlySet<string> = new Set(
  'script style template noscript noembed noframes iframe object canvas audio video datalist'.split(' '),
)

/**
 * What styles (`hidingStyle`) say of text: what is not laid out or transparent hides everything inside, the others what does not say
 * otherwise.
 */
interface Hiding extends Level {
  readonly isTransparent: boolean
  readonly isInvisible: boolean
  readonly isTiny: boolean
}

const displayed: Hiding = {
  isDisplayed: true,
  isLaidOut: true,
  isText: true,
  isTransparent: false,
  isInvisible: false,
  isTiny: false,
}

/**
 * Follows a walk through a page and says what of it is seen, as far as attributes and inline styles tell.
 *
 * @param believesStyles false: only the attribute `hidden` hides
 * @param leftOut elements whose content is not read
 */
export function createVisibility(
  believesStyles: boolean,
  onHidden: () => void,
  leftOut: ReadonlySet<string> = elementsWithoutText,
): Visibility {
  const levels: Hiding[] = []
  let isFlagged = false
  const now = (): Hiding => levels.at(-1) ?? displayed
  return {
    enter(tag, attribute) {
      const outer = now()
      const level = inside(outer, { isLeftOut: isLeftOut(tag, attribute, leftOut), attribute, believesStyles })
      if (outer.isDisplayed && !level.isDisplayed) isFlagged = false
      levels.push(level)
      return level
    },
    leave() {
      const level = now()
      levels.pop()
      return level
    },
    admits(text) {
      const { isDisplayed, isText } = now()
      if (isDisplayed || !isText) return isText
      if (!isFlagged && text.trim() !== '') {
        isFlagged = true
        onHidden()
      }
      return false
    },
  }
}

const isLeftOut = (tag: string, attribute: Attribute, leftOut: ReadonlySet<string>): boolean =>
  leftOut.has(tag) && (tag !== 'object' || attribute('data') !== undefined)

interface Entered {
  readonly isLeftOut: boolean
  readonly attribute: Attribute
  readonly believesStyles: boolean
}

function inside(outer: Hiding, { isLeftOut, attribute, believesStyles }: Entered): Hiding {
  const hidden = attribute('hidden')
  const style = believesStyles ? attribute('style') : undefined
  const isText = outer.isText && !isLeftOut
  if (hidden === undefined && style === undefined) return isText === outer.isText ? outer : { ...outer, isText }
  const isHidden = hidden !== undefined && hidden.toLowerCase() !== 'until-found'
  const stated = new Set(style?.split(';'))
  const isLaidOut = outer.isLaidOut && !isHidden && !stated.has('display:none')
  const isTransparent = outer.isTransparent || stated.has('opacity:0')
  const isInvisible = !stated.has('visibility:visible') && (outer.isInvisible || stated.has('visibility:hidden'))
  const isTiny = !stated.has('font-size:1px') && (outer.isTiny || stated.has('font-size:0'))
  const isDisplayed = isLaidOut && !isTransparent && !isInvisible && !isTiny
  return { isDisplayed, isLaidOut, isText, isTransparent, isInvisible, isTiny }
}

/** A page that styles hide nearly whole: shown later by a script, as when it fades in. */
const minVisibleShare = 0.05

/** Whether the inline styles of a page are to be believed: not when they leave next to nothing of it. */
export function mayBelieveStyles(page: HtmlElement): boolean {
  const visibility = createVisibility(true, () => undefined)
  const plain = createVisibility(false, () => undefined)
  let units = 0
  let visibleUnits = 0
  visitHtml(page, {
    open(tag, attribute) {
      visibility.enter(tag, attribute)
      plain.enter(tag === 'title' ? 'script' : tag, attribute)
    },
    close() {
      visibility.leave()
      plain.leave()
    },
    text(text) {
      if (!plain.admits(text)) return
      const { length } = text.trim()
      units += length
      if (visibility.admits(text)) visibleUnits += length
    },
  })
  return units === 0 || visibleUnits / units >= minVisibleShare
}
