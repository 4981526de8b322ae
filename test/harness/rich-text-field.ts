import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ConsoleStage, loginOf } from './console-browser.ts'
import { focused } from './keyboard.ts'

/** The rich text of an incident that is stored. */
export async function storedRichText(stage: ConsoleStage, sysId: string): Promise<string | null> {
  const path = `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=workaround`
  const { body } = await stage.docket.request('GET', path, { as: loginOf('michael.brown') })
  return (body as { data: { workaround: string | null }[] }).data[0]?.workaround ?? null
}

export const richTextOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Workaround' })

/** A button of the toolbar. */
export const formatButton = (page: Page, name: string): Locator =>
  page.getByRole('toolbar').getByRole('button', { name, exact: true })

export interface OpenRichText {
  readonly page: Page
  readonly rich: Locator
  /** Puts the caret into the block with these words, at its first or last place, by a click and a key. */
  caret(key: 'Home' | 'End', words: string): Promise<void>
  stored(): Promise<string | null>
  /** A change by anna.petrova. */
  change(text: string): Promise<unknown>
}

/** The texts before and after the caret, in its block. */
const textsBesideCaret = `(() => {
  const { anchorNode: at, anchorOffset: offset } = getSelection()
  if (at === null) return []
  let block = at instanceof Element ? at : at.parentElement
  while (getComputedStyle(block).display === 'inline') block = block.parentElement
  const textOf = (set) => {
    const range = document.createRange()
    range.selectNodeContents(block)
    set(range)
    return range.toString()
  }
  return [textOf((range) => range.setEnd(at, offset)), textOf((range) => range.setStart(at, offset))]
})()`

/** The form of a new incident with this rich text, which has the focus. */
export async function openRichText(stage: ConsoleStage, workaround: string | null): Promise<OpenRichText> {
  const sysId = await stage.makeIncident('Rich text', { workaround })
  const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
  await page.getByText(/^All fields/).click()
  const rich = richTextOf(page)
  await rich.waitFor()
  // What the form still loads could move the text away from under the pointer.
  await stage.settled(page)
  await rich.click()
  await focused(rich)
  // Within 200 ms of the focus, ProseMirror takes a caret that moves to the beginning of the text for a fault of the browser, and puts it back.
  await page.evaluate('new Promise((done) => setTimeout(done, 250))')
  const change = (text: string) =>
    stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { workaround: text },
    })
  const caret = async (key: 'Home' | 'End', words: string): Promise<void> => {
    await rich.getByText(words).click()
    await page.keyboard.press(key)
    const place = () => page.evaluate(textsBesideCaret)
    const [at, other] = key === 'Home' ? [0, 1] : [1, 0]
    await expect.poll(place).toEqual(expect.objectContaining({ [at]: '', [other]: expect.stringContaining(words) }))
  }
  return { page, rich, caret, stored: () => storedRichText(stage, sysId), change }
}
