import { applyLook, currentLook, hasStoredLook, lookOf, setLook } from '../ui/theme.ts'

/**
 * Script of a page with a list from the server, built into a file of its own: displays that list, then loads the console, and removes the
 * list when the console displays anything in its place.
 */
const list = await parsedList()
const { script = '' } = document.querySelector<HTMLElement>('meta[name=docket]')?.dataset ?? {}
const { pathname } = location

/** In milliseconds: as long as the console takes other responses as new. */
const maxAgeMs = 15_000
/** In milliseconds: how long the console waits for the paint, and the list for the navigation. A tab in the background is not painted. */
const maxWaitMs = 1_000

/** What the page displays in place of "loading": the rows, or another content of the list. */
const content = '#list-body > :not([role=status])'
/** What it displays instead of the list: an error, a dialog, the sign-in page, or the offer to stop waiting. */
const ends = '[role=alert]:not([hidden]), [role=dialog], [type=password], [role=status] button'

/** The script may be there before the list, which is complete when what follows it is there. Nothing is rendered until then. */
function parsedList(): Promise<HTMLElement> {
  const { promise, resolve } = Promise.withResolvers<HTMLElement>()
  const look = (): void => {
    if (document.getElementById('start-failure') === null) return
    parsing.disconnect()
    resolve(document.getElementById('painted-list') as HTMLElement)
  }
  const parsing = new MutationObserver(look)
  parsing.observe(document, { subtree: true, childList: true })
  look()
  return promise
}

let hasBegun = false
function begin(): void {
  if (hasBegun) return
  hasBegun = true
  // The console reads the responses, which follow this script in the page.
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', loadConsole, { once: true })
  else loadConsole()
}

function loadConsole(): void {
  import(/* @vite-ignore */ script).catch(() => {
    ;(document.getElementById('start-failure') as HTMLElement).hidden = false
  })
}

/** Until the console listens itself: a user signs in or out in another tab of this browser. */
const channel = new BroadcastChannel('docket')
channel.onmessage = () => location.reload()

function remove(): void {
  observer.disconnect()
  channel.close()
  list.remove()
}

function removeResponses(): void {
  document.getElementById('responses')?.remove()
}

const isDisplayed = (selector: string): boolean => document.querySelector(selector) !== null
const linksWithin = (id: string): number => document.querySelectorAll(`#${id} nav a`).length

const observer = new MutationObserver(() => {
  if (location.pathname !== pathname || isDisplayed(ends)) remove()
  else if (isDisplayed(content)) {
    // The tables of the navigation are a response of their own.
    if (linksWithin('root') >= linksWithin('painted-list')) remove()
    else setTimeout(remove, maxWaitMs)
  }
})

/** The server knows the stored look. The copy in this browser may be newer: rows of another height would be at other places. */
function isAsHere(): boolean {
  const painted = lookOf(list.dataset)
  if (!hasStoredLook()) setLook(painted)
  applyLook()
  return currentLook().density === painted.density && !matchMedia('(max-width: 640px)').matches
}

if (isAsHere()) {
  for (const each of list.querySelectorAll<HTMLElement>('[data-style]'))
    each.style.cssText = each.dataset['style'] as string
  list.style.visibility = 'visible'
  observer.observe(document.body, { subtree: true, childList: true })
  // Compiling the console would delay the paint.
  const paints = new PerformanceObserver((seen) => {
    if (seen.getEntriesByName('first-contentful-paint').length > 0) begin()
  })
  paints.observe({ type: 'paint', buffered: true })
  setTimeout(begin, document.visibilityState === 'visible' ? maxWaitMs : 0)
} else {
  remove()
  begin()
}
setTimeout(removeResponses, maxAgeMs)

// The browser may keep the page for "back": nothing of it is left then that the console, which knows who is signed in, has not displayed.
addEventListener('pagehide', () => {
  remove()
  removeResponses()
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && document.getElementById('root')?.firstChild === null) location.reload()
})
