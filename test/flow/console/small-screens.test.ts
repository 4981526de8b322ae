import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf, type View } from '../../harness/console-browser.ts'

const subject = `A printer that is named Donaudampfschifffahrtsgesellschaftskapitän-${'0123456789'.repeat(4)}`
/** The pages, and what a user needs on each. */
const screens = {
  list: {
    path: () => '/t/itsm_incident?q=active=true^ORDERBYDESCopened_at',
    needed: (page: Page) => [
      page.getByRole('searchbox').first(),
      page.getByRole('button', { name: 'Filter', exact: true }),
      page.getByRole('link', { name: /^New/ }).first(),
      page.getByRole('row').nth(1),
    ],
  },
  form: {
    path: (task: string) => `/t/itsm_incident/${task}`,
    needed: (page: Page) => [
      page.getByRole('heading', { level: 1 }),
      page.getByRole('button', { name: 'More actions' }),
      page.getByRole('textbox', { name: /^Subject/ }),
      page.locator('#composer'),
      page.getByRole('button', { name: 'Send', exact: true }),
    ],
  },
  search: {
    path: () => '/search?q=printer',
    needed: (page: Page) => [page.getByRole('searchbox'), page.locator('[data-found]').first()],
  },
  source: {
    path: () => '/search?q=printer&docc=knowledge&doc=toner&chunk=0',
    needed: (page: Page) => [
      page.getByRole('button', { name: 'Close', exact: true }),
      page.getByRole('document', { name: 'Text of the document' }).locator('mark').first(),
    ],
  },
} as const

/** WCAG 1.4.10: a screen of 1280 px at 400 %. */
const small: readonly (View & { readonly name: string })[] = [
  { name: '320 px', width: 320, height: 640 },
  { name: '400 %', width: 320, height: 256 },
  { name: '400 %, forced colours', width: 320, height: 256, forcedColors: 'active' },
]

const tooWide = `(() => {
  const { scrollWidth } = document.scrollingElement
  if (scrollWidth <= innerWidth) return []
  const outside = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth)
  return [scrollWidth + ' px', ...outside.slice(0, 5).map((each) => each.outerHTML.slice(0, 120))]
})()`

/** Forced colours draw no shadow and no background: what has the focus needs an outline. */
const hasOutline = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return ''
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(at)
  const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !/, 0\\)$/.test(outlineColor)
  // A row of a list has a frame above its cells.
  const { content, borderTopStyle } = getComputedStyle(at, '::after')
  if (content !== 'none' && borderTopStyle !== 'none') return ''
  return isSeen ? '' : [outlineStyle, outlineWidth, outlineColor, at.outerHTML.slice(0, 120)].join(' ')
})()`

/** What has an animation or a transition. */
const moving = `[...document.querySelectorAll('*')].flatMap((each) => [undefined, '::before', '::after'].flatMap((part) => {
  const { animationName, transitionDuration } = getComputedStyle(each, part)
  const isStill = animationName === 'none' && transitionDuration.split(', ').every((time) => parseFloat(time) === 0)
  return isStill ? [] : [each.outerHTML.slice(0, 120)]
}))`

/** The element is within the width of the screen, and nothing lies over it. */
async function isReached(element: Locator): Promise<string> {
  await element.waitFor()
  await element.scrollIntoViewIfNeeded()
  return element.evaluate((each) => {
    const { ownerDocument: page } = each
    const { clientWidth, clientHeight } = page.documentElement
    const { left, right, top, bottom, width, height } = each.getBoundingClientRect()
    const named = `${each.outerHTML.slice(0, 120)} at ${[left, right, top, bottom].map(Math.round)}`
    if (left < 0 || right > clientWidth + 1) return `not within the width: ${named}`
    const points = [0.5, 0.2, 0.8].map((part) => Math.min(Math.max(top + height * part, 1), clientHeight - 2))
    const hits = points.map((y) => page.elementFromPoint(left + width / 2, y))
    if (hits.some((hit) => hit !== null && (each.contains(hit) || hit.contains(each)))) return ''
    return `covered: ${named} by ${hits[0]?.outerHTML.slice(0, 120)}`
  })
}

describe.skipIf(!hasChromium)('narrow screens, zoom, forced colours and reduced motion', () => {
  const stage = consoleStage()
  beforeAll(async () => {
    const text = `# Toner\n\n${'A printer without toner blinks. Order toner at the desk. '.repeat(30)}\n`
    const { status } = await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
      as: loginOf('maria.sokolova'),
      body: { text, metadata: { doc_id: 'toner' } },
    })
    expect(status).toBe(200)
  })

  async function opened(name: keyof typeof screens, view: View): Promise<Page> {
    const page = await stage.signedIn(
      'michael.brown',
      screens[name].path(name === 'form' ? await stage.makeIncident(subject) : ''),
      view,
    )
    await stage.settled(page)
    return page
  }

  async function at(screen: 'sign-in' | keyof typeof screens, view: View): Promise<Page> {
    if (screen !== 'sign-in') return opened(screen, view)
    const page = await stage.openBrowser(view)
    await page.goto(`${stage.baseUrl}/console/login`)
    await page.locator('input[name=username]').waitFor()
    await stage.settled(page)
    return page
  }

  // The end of a form is several screens below its beginning.
  test.each([
    { width: 1_440, height: 500, name: 'Save' },
    { width: 390, height: 900, name: 'Activity' },
  ])('form: at its end, $name is at the top of a screen of $width px', async ({ name, width, height }) => {
    const page = await opened('form', { width, height })
    const end = page.getByRole('button', { name: 'Send', exact: true })
    await page.locator('main#page').evaluate((main) => main.scrollTo(0, main.scrollHeight))
    await expect.poll(() => page.locator('main#page').evaluate((main) => main.scrollTop)).toBeGreaterThan(height)
    await end.waitFor()
    const top = await page
      .getByRole('button', { name, exact: true })
      .evaluate((each) => each.getBoundingClientRect().top)
    expect(top).toBeGreaterThanOrEqual(0)
    expect(top).toBeLessThan(120)
  })

  test.each(small)('sign-in: $name', async ({ name, ...view }) => {
    const page = await stage.openBrowser(view)
    await page.goto(`${stage.baseUrl}/console/login`)
    const button = page.getByRole('button', { name: 'Sign in', exact: true })
    for (const each of [page.locator('input[name=username]'), page.locator('input[name=password]'), button])
      expect(await isReached(each)).toBe('')
    expect(await page.evaluate(tooWide)).toEqual([])
    await stage.picture(page, `sign-in ${name}`)
  })

  for (const screen of Object.keys(screens) as (keyof typeof screens)[])
    test.each(small)(`${screen}: $name`, async ({ name, ...view }) => {
      const page = await opened(screen, view)
      await stage.picture(page, `${screen} ${name}`)
      const faults: string[] = []
      for (const each of screens[screen].needed(page)) faults.push(await isReached(each))
      expect(faults.filter((fault) => fault !== '')).toEqual([])
      expect(await page.evaluate(tooWide)).toEqual([])
      expect(await stage.findings(page)).toEqual([])
      await stage.picture(page, `${screen} ${name} end`)
    })
  for (const screen of ['sign-in', ...Object.keys(screens)] as ('sign-in' | keyof typeof screens)[]) {
    test(`${screen}: what has the focus is seen in forced colours`, async () => {
      const page = await at(screen, { width: 1_440, forcedColors: 'active' })
      const faults = new Set<string>()
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press('Tab')
        const fault = String(await page.evaluate(hasOutline))
        if (fault !== '') faults.add(fault)
      }
      expect([...faults]).toEqual([])
      await stage.picture(page, `${screen} forced colours`)
    })

    test(`${screen}: nothing moves for those who want reduced motion`, async () => {
      const page = await at(screen, { width: 390, reducedMotion: 'reduce' })
      expect(await page.evaluate(moving)).toEqual([])
    })
  }
})
