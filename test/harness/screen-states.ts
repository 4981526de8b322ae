import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ConsoleStage, type DemoUserName, type Login, views } from './console-browser.ts'
import type { Fault } from './fault-proxy.ts'
import { leaveListsToBrowser } from './open-page.ts'

/** A screen in one of its states. */
export interface State {
  readonly name: string
  readonly path: string
  /** Requests of the API that fail while the path opens. */
  readonly fails?: { readonly what: RegExp; readonly fault: Fault }
  /** Leads from the opened path to the state. */
  readonly enter?: (page: Page) => Promise<void>
  /** What the state displays. */
  readonly shows: (page: Page) => Locator
}

const anything = /^GET \/(rest|v1\/(?!auth\/session)|collections|get_|openapi)/
const held: Fault = { kind: 'hold' }
export const away: Fault = { kind: 'cut-before' }
export const busy: Fault = { kind: 'respond', status: 429, headers: { 'retry-after': '900' } }
export const broken: Fault = { kind: 'respond', status: 500 }

export const text = (words: string) => (page: Page) => page.getByText(words).first()
const loading = (page: Page): Locator => page.getByRole('status', { name: 'Loading…' }).locator('div').first()
export const retry = (page: Page): Locator =>
  page
    .getByRole('alert')
    .getByRole('button', { name: /^Try again/ })
    .first()
export const notFound = text('This does not exist, or you do not have access to it.')
export const offline = (page: Page): Locator =>
  page.getByRole('alert').getByText('The server cannot be reached.').first()

/** The states that the network makes, on one screen. */
export const reading = (name: string, path: string, what: RegExp = anything): readonly State[] => [
  { name: `${name}: loading`, path, fails: { what, fault: held }, shows: loading },
  { name: `${name}: busy`, path, fails: { what, fault: busy }, shows: retry },
  { name: `${name}: error`, path, fails: { what, fault: broken }, shows: retry },
  { name: `${name}: offline`, path, fails: { what, fault: away }, shows: offline },
]

/**
 * Opens each state once, and looks at it in all views. A state that is not reached is a finding, too.
 *
 * @param stage with a proxy
 * @param resolve replaces what stands for ids in a path
 */
export async function findingsOf(
  stage: ConsoleStage,
  page: Page,
  state: State,
  resolve: (path: string) => string = (path) => path,
): Promise<readonly string[]> {
  const all: string[] = []
  try {
    if (state.fails !== undefined) {
      await leaveListsToBrowser(page)
      stage.proxy.fail(state.fails.what, state.fails.fault)
    }
    await page.setViewportSize({ width: views[0].width, height: 900 })
    await page.goto(`${stage.baseUrl}/console${resolve(state.path)}`)
    await state.enter?.(page)
    for (const { width, colorScheme } of views) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await state.shows(page).waitFor()
      const rules = colorScheme === 'dark' ? 'colours' : 'all'
      const each = await stage.findings(page, state.fails?.fault === held ? 'loading' : 'loaded', rules)
      await stage.picture(page, `${state.name.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}`)
      all.push(...each.map((finding) => `${state.name}, ${width} px, ${colorScheme}: ${finding}`))
    }
  } catch (error) {
    all.push(`${state.name}: ${error instanceof Error ? error.message : String(error)}`)
  }
  stage.proxy.heal()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('about:blank')
  return all
}

export async function lookAtStates(
  stage: ConsoleStage,
  who: DemoUserName | Login,
  states: readonly State[],
  resolve?: (path: string) => string,
): Promise<void> {
  const page = await stage.signedIn(who)
  page.removeAllListeners('dialog')
  // A form with edits asks before the page goes.
  page.on('dialog', (dialog) => void dialog.accept())
  const all: string[] = []
  for (const state of states) all.push(...(await findingsOf(stage, page, state, resolve)))
  expect(all).toEqual([])
}
