import type { HtmlElement } from './html-nodes.ts'
import { visitHtml } from './visit-html.ts'

type Attribute = (name: string) => string | undefined

/** How text inside an open element is displayed. */
export interface Level {
  readonly isDisplayed: boolean
  /** Has a place on the page, so that its blocks end lines. Transparent, invisible or tiny content keeps its place. */
  readonly isLaidOut: boolean
  /** Not inside an element whose content is not text of the page. */
  readonly isText: boolean
}

export interface Visibility {
  enter(tag: string, attribute: Attribute): Level
  leave(): Level
  /** Whether to read this text; hidden text is flagged once for each hidden element. */
  admits(text: string): boolean
}

/** Their content is not text of the page; that of an object is, unless a browser loads its target (`html-tree.ts`). */
export const elementsWithoutText: ReadonlySet<string> = new Set(
  'script style template noscript noembed noframes iframe object canvas audio video datalist'.split(' '),
)

/**
 * The effect of styles (`hidingStyle`) on text: without layout or transparent, everything inside is hidden; other styles can be
 * overridden inside.
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
 * Follows a traversal of a page and determines what is visible, by attributes and inline styles.
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

/** Below this share, styles hide nearly the whole page: a script displays it later, for example when it fades in. */
const minVisibleShare = 0.05

/** Whether to apply the inline styles of a page: not if they hide almost all of it. */
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
