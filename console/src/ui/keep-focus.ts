/** Where the focus was: the element, its place among its neighbours, and that of each ancestor. */
interface FocusPlace {
  readonly element: HTMLElement
  readonly above: readonly { readonly parent: Element; readonly index: number }[]
}

const maxRemembered = 20
const remembered: HTMLElement[] = []
let place: FocusPlace | null = null
/** What the pointer has just been pressed on. */
let pressed: Node | null = null
let isCheckPending = false

/**
 * Never leaves the keyboard without a place. The element with the focus can be removed, hidden, disabled or moved in the page; the
 * browser then forgets the place, and the next Tab begins at the top. This moves the focus to the neighbour that took its place,
 * else to where the focus was before, else to the page. Dialogs and menus return the focus themselves, earlier than this.
 */
export function keepFocus(): void {
  // A field of the sign-in page, which is about to be removed.
  if (document.activeElement instanceof HTMLElement && !isLost()) remember(document.activeElement)
  addEventListener('focusin', ({ target }) => target instanceof HTMLElement && remember(target))
  addEventListener('focusout', ({ relatedTarget }) => {
    // A click beside all elements takes the focus away on purpose.
    if (relatedTarget === null && pressed !== null && place !== null && isLeft(place.element, pressed)) place = null
    checkSoon()
  })
  addEventListener('mousedown', recordPointer, { capture: true })
  const attributeFilter = ['disabled', 'hidden', 'inert', 'class']
  new MutationObserver(checkSoon).observe(document, { subtree: true, childList: true, attributeFilter })
}

/** Whether anything has had the focus since the page was loaded. */
export const hadFocus = (): boolean => remembered.length > 0

function recordPointer({ target }: MouseEvent): void {
  pressed = target as Node
  requestAnimationFrame(() => {
    pressed = null
  })
}

/** A button that is pressed can remove itself: then it was not left. */
const isLeft = (element: HTMLElement, pressed: Node): boolean => canHaveFocus(element) && !element.contains(pressed)

function remember(element: HTMLElement): void {
  const known = remembered.indexOf(element)
  if (known !== -1) remembered.splice(known, 1)
  remembered.push(element)
  if (remembered.length > maxRemembered) remembered.shift()
  place = { element, above: placesAbove(element) }
}

function placesAbove(element: Element): FocusPlace['above'] {
  const above: { readonly parent: Element; readonly index: number }[] = []
  for (let at = element; at.parentElement !== null && at.parentElement !== document.body; at = at.parentElement)
    above.push({ parent: at.parentElement, index: [...at.parentElement.children].indexOf(at) })
  return above
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Waits two frames: dialogs return the focus, and the page that was opened takes it. */
function checkSoon(): void {
  if (place === null || isCheckPending) return
  if (!isLost() && !place.element.matches(':disabled')) return
  isCheckPending = true
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      isCheckPending = false
      if (place !== null && isLost() && document.hasFocus()) restore(place)
    }),
  )
}

function restore({ element, above }: FocusPlace): void {
  const target =
    (canHaveFocus(element) ? element : null) ??
    besides(above) ??
    remembered.findLast((each) => each !== document.body && canHaveFocus(each)) ??
    document.getElementById('page')
  target?.focus({ preventScroll: target.tagName === 'MAIN' })
}

/** The nearest element to the lost one, in the innermost part of the page that is still there. A whole page gets the focus itself. */
function besides(above: FocusPlace['above']): HTMLElement | null {
  for (const { parent, index } of above) {
    if (!parent.isConnected) continue
    if (parent.tagName === 'MAIN') return parent as HTMLElement
    if (parent.querySelector('main') !== null) return null
    const around = [...parent.children]
    const next = around.slice(index).flatMap(stopsIn)[0] ?? around.slice(0, index).flatMap(stopsIn).at(-1)
    if (next !== undefined) return next
    if (parent instanceof HTMLElement && canHaveFocus(parent)) return parent
  }
  return null
}

const stops = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** Elements to which Tab leads. */
const stopsIn = (part: Element): readonly HTMLElement[] =>
  [part, ...part.querySelectorAll(stops)].filter(
    (each): each is HTMLElement => each instanceof HTMLElement && each.tabIndex >= 0 && canHaveFocus(each),
  )

const canHaveFocus = (element: HTMLElement): boolean =>
  element.isConnected &&
  (element.tabIndex >= 0 || element.hasAttribute('tabindex')) &&
  !element.matches(':disabled') &&
  element.closest('[inert], [aria-hidden="true"]') === null &&
  element.checkVisibility({ visibilityProperty: true })
