import type { Locator, Page } from 'playwright-core'
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
  stored(): Promise<string | null>
  /** A change by anna.petrova. */
  change(text: string): Promise<unknown>
}

/** The form of a new incident with this rich text, which has the focus. */
export async function openRichText(stage: ConsoleStage, workaround: string | null): Promise<OpenRichText> {
  const sysId = await stage.makeIncident('Rich text', { workaround })
  const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
  await page.getByText(/^All fields/).click()
  const rich = richTextOf(page)
  await rich.click()
  await focused(rich)
  const change = (text: string) =>
    stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { workaround: text },
    })
  return { page, rich, stored: () => storedRichText(stage, sysId), change }
}
