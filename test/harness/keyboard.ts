import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Waits until the element has the focus: keys that are pressed before go elsewhere. */
export async function focused(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)
}

/** Presses Tab until the focus is on an element of this name. */
export async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  const named = `(() => {
    const at = document.activeElement
    // The page, a dialog: they hold the texts of everything, and Tab leads to none of them.
    if (at === null || at.tabIndex < 0) return ''
    const label = at?.labels?.[0]?.textContent
    return [at?.getAttribute('aria-label'), label, at?.getAttribute('placeholder'), at?.textContent].filter(Boolean).join(' | ')
  })()`
  const seen: string[] = []
  for (let presses = 0; presses < 80; presses += 1) {
    const at = String(await page.evaluate(named))
    if (name.test(at)) return
    seen.push(at)
    await page.keyboard.press(key)
  }
  throw new Error(`${name} is not reached by ${key}; the focus was on ${seen.join(' / ')}`)
}

/** What has the focus can be seen: it is in the view and has an outline, a ring or another border than without it. */
export const isFocusVisible = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return 'nothing has the focus'
  const { top, bottom, width, height } = at.getBoundingClientRect()
  if (width === 0 || height === 0 || bottom < 0 || top > innerHeight) return 'the focus is out of sight: ' + at.outerHTML.slice(0, 120)
  const { outlineStyle, boxShadow } = getComputedStyle(at)
  // A row of a list has its ring above its cells.
  const { content, borderTopStyle } = getComputedStyle(at, '::after')
  const hasFrame = content !== 'none' && borderTopStyle !== 'none'
  return outlineStyle !== 'none' || boxShadow !== 'none' || hasFrame ? 'visible' : 'no ring: ' + at.outerHTML.slice(0, 120)
})()`
