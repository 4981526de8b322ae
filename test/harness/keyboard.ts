import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ConsoleStage, type DemoUserName, type Login, loginOf } from './console-browser.ts'

/** Waits until the element has the focus: keys that are pressed before go elsewhere. */
export async function focused(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)
}

const fourFrames = `(async () => {
  for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame)
})()`

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
  // The element with the focus has just left the page: the page hands the focus on within two frames, and Tab begins there.
  if (await page.evaluate('document.activeElement === document.body')) await page.evaluate(fourFrames)
  for (let presses = 0; presses < 80; presses += 1) {
    const at = String(await page.evaluate(named))
    if (name.test(at)) return
    seen.push(at)
    await page.keyboard.press(key)
  }
  throw new Error(`${name} is not reached by ${key}; the focus was on ${seen.join(' / ')}`)
}

/** What has the focus is in the view, is not covered, and has an outline, a ring or another border than without it. */
export const isFocusVisible = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return 'nothing has the focus'
  const { top, bottom, left, right, width, height } = at.getBoundingClientRect()
  const named = at.outerHTML.slice(0, 160)
  if (width === 0 || height === 0 || bottom < 0 || top > innerHeight || right < 0 || left > innerWidth)
    return 'the focus is out of sight: ' + named
  const x = (part) => Math.max(1, Math.min(innerWidth - 2, left + width * part))
  const y = (part) => Math.max(1, Math.min(innerHeight - 2, top + height * part))
  const hits = [[0.5, 0.5], [0.02, 0.5], [0.98, 0.5], [0.5, 0.05], [0.5, 0.95]].map(([across, down]) =>
    document.elementFromPoint(x(across), y(down)))
  if (!hits.some((hit) => hit !== null && at.contains(hit))) return 'the focus is covered: ' + named
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at)
  // A row of a list has its ring above its cells.
  const { content, borderTopStyle } = getComputedStyle(at, '::after')
  const hasFrame = content !== 'none' && borderTopStyle !== 'none'
  const hasOutline = outlineStyle !== 'none' && outlineWidth !== '0px'
  return hasOutline || boxShadow !== 'none' || hasFrame ? 'visible' : 'no ring: ' + named
})()`

/**
 * A person without a pointer. Only keys: nothing is clicked, filled in or focused by a script. After each step, what has the focus must
 * exist and be visible, with a mark.
 */
export class KeyboardUser {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** What has the focus can be seen. The page may need a moment to hand the focus on. */
  async isSeen(): Promise<void> {
    await expect.poll(() => this.#page.evaluate(isFocusVisible)).toBe('visible')
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#page.keyboard.press(key)
      await this.isSeen()
    }
  }

  /** Replaces the text of the field that has the focus. */
  async retype(text: string): Promise<void> {
    await this.press('Control+a')
    await this.type(text)
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text)
    await this.isSeen()
  }

  /** Presses the key until an element of this name has the focus. */
  async goTo(name: RegExp, key = 'Tab'): Promise<void> {
    await tabTo(this.#page, name, key)
    await this.isSeen()
  }

  /** Waits until the element has the focus. */
  async isAt(element: Locator): Promise<void> {
    await focused(element)
    await this.isSeen()
  }
}

/** Signs in at the address, with keys. */
export async function enterByKeys(
  stage: ConsoleStage,
  who: DemoUserName | Login,
  path: string,
  page: Page,
): Promise<KeyboardUser> {
  const keys = new KeyboardUser(page)
  const { user, password } = typeof who === 'string' ? loginOf(who) : who
  await page.goto(`${stage.baseUrl}/console${path}`)
  await page.getByRole('heading', { name: 'Sign in to Docket' }).waitFor()
  await keys.goTo(/User name/)
  await keys.type(user)
  await keys.goTo(/Password/)
  await keys.type(password)
  await page.keyboard.press('Enter')
  await page.locator('main#page').waitFor()
  await stage.settled(page)
  await keys.isSeen()
  return keys
}
