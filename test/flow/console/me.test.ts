import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browserName } from '../../../console/src/me/browser-name.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('own settings in the console (issue 13)', () => {
  const stage = consoleStage({ proxy: true })

  test('language and time zone are stored in the record of the user, and hold for the page at once', async () => {
    const page = await stage.signedIn('john.smith', '/me')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('ru')
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Vladivostok')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Язык и часовой пояс' }).waitFor()
    await expect
      .poll(() =>
        stage.docket.database.rows(sql`select language, time_zone from docket."user" where user_name = 'john.smith'`),
      )
      .toEqual([{ language: 'ru', time_zone: 'Asia/Vladivostok' }])
  })

  test('language and time zone are closed while the rights are unknown; the page says so, and reads them again', async () => {
    const page = await stage.signedIn('michael.brown')
    stage.proxy.fail(/^GET \/rest\/v1\/table\/user\/.*sysparm_rights/, { kind: 'respond', status: 503 })
    await page.goto(`${stage.baseUrl}/console/me`)
    const alert = page.getByRole('alert').filter({ hasText: 'The server is not available at the moment' })
    await alert.waitFor()
    const language = page.getByRole('combobox', { name: 'Language' })
    expect(await language.isDisabled()).toBe(true)
    await alert.getByRole('button', { name: /^Try again/ }).waitFor()
    stage.proxy.heal()
    // It offers a button, and tries again by itself: a click could meet that moment.
    await expect.poll(() => language.isEnabled()).toBe(true)
    await alert.waitFor({ state: 'detached' })
  })

  test('a new password ends the other sessions; a wrong old one is explained at its field', async () => {
    const other = await stage.signedIn('elena.volkova', '/')
    const page = await stage.signedIn('elena.volkova', '/me')
    await page.getByRole('listitem').filter({ hasText: 'Chrome' }).nth(1).waitFor()
    const [old, fresh, again] = ['old', 'new', 'again'].map((name) => page.locator(`input[name=${name}]`))
    await old?.fill('not the password')
    await fresh?.fill('a new password 1')
    await again?.fill('a new password 1')
    await again?.press('Enter')
    await page.locator('#password-error').waitFor()
    await expect.poll(() => old?.getAttribute('aria-invalid')).toBe('true')
    await old?.fill(loginOf('elena.volkova').password)
    await again?.press('Enter')
    await expect.poll(() => old?.inputValue()).toBe('')
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Chrome' }).count()).toBe(1)
    expect((await other.request.get(`${stage.docket.baseUrl}/v1/auth/session`)).status()).toBe(401)
  })

  test('a key is shown once, works, and is revoked', async () => {
    const page = await stage.signedIn('michael.brown', '/me')
    await page.getByLabel('Name of the key').fill('nightly report')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const key = (await page.getByRole('status').locator('code').textContent()) ?? ''
    const session = () =>
      fetch(`${stage.docket.baseUrl}/v1/auth/session`, { headers: { authorization: `Bearer ${key}` } })
    expect((await session()).status).toBe(200)
    await page.getByRole('button', { name: 'Close' }).click()
    expect(key).not.toBe('')
    await expect.poll(() => page.content()).not.toContain(key)
    await page.getByRole('button', { name: 'Revoke: nightly report' }).click()
    await page.getByRole('listitem').filter({ hasText: 'nightly report' }).getByText('revoked').waitFor()
    expect((await session()).status).toBe(401)
  })

  test('a key that cannot be made keeps its name, and one that is on its way is not made twice', async () => {
    const page = await stage.signedIn('michael.brown', '/me')
    const name = page.getByLabel('Name of the key')
    const made = /^POST \/v1\/auth\/keys/
    stage.proxy.fail(made, { kind: 'cut-before' })
    await name.fill('weekly report')
    await name.press('Enter')
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    expect(await name.inputValue()).toBe('weekly report')
    stage.proxy.heal()
    stage.proxy.fail(made, { kind: 'hold' })
    await name.press('Enter')
    await name.press('Enter')
    await expect.poll(() => stage.proxy.met(made)).toBe(1)
    stage.proxy.heal()
    await page.getByRole('status').locator('code').waitFor()
    await expect.poll(() => name.inputValue()).toBe('')
    await stage.settled(page)
    expect(await page.getByRole('listitem').filter({ hasText: 'weekly report' }).count()).toBe(1)
    stage.takeComplaints()
  })

  test('a session that cannot be ended says so, and is ended by its button', async () => {
    const other = await stage.signedIn('john.smith', '/')
    const page = await stage.signedIn('john.smith', '/me')
    const sessions = page.getByRole('listitem').filter({ hasText: 'Chrome' })
    await expect.poll(() => sessions.count()).toBeGreaterThan(1)
    stage.proxy.fail(/^DELETE \/v1\/auth\/sessions/, { kind: 'cut-before' })
    const end = page.getByRole('button', { name: /^(End all others|Завершить все другие)$/ })
    await end.click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    stage.proxy.heal()
    await end.click()
    await alert.waitFor({ state: 'detached' })
    await expect.poll(() => sessions.count()).toBe(1)
    expect((await other.request.get(`${stage.docket.baseUrl}/v1/auth/session`)).status()).toBe(401)
    stage.takeComplaints()
  })

  test('theme and density are of the user, in every browser, and not of the browser when they have left', async () => {
    const look = (page: Page) => page.evaluate('({ ...document.documentElement.dataset })')
    const page = await stage.signedIn('maria.sokolova', '/me')
    const stored = page.waitForResponse(
      (each) => each.request().method() === 'POST' && each.url().includes('preference'),
    )
    await page.getByLabel('Тёмная').check()
    await stored
    const second = page.waitForResponse(
      (each) => each.request().method() === 'PATCH' && each.url().includes('preference'),
    )
    await page.getByLabel('Просторно').check()
    await second
    const other = await stage.signedIn('maria.sokolova', '/t/itsm_incident?q=active=true')
    await expect.poll(() => look(other)).toEqual({ theme: 'dark', density: 'comfortable' })
    await expect
      .poll(async () => (await other.locator('[data-record]').first().boundingBox())?.height)
      .toBeGreaterThanOrEqual(40)
    await other.reload()
    await expect.poll(() => look(other)).toEqual({ theme: 'dark', density: 'comfortable' })
    await other.getByRole('button', { name: /Мария|Maria/ }).click()
    await other.getByRole('menuitem', { name: 'Выйти' }).click()
    await other.locator('input[name=username]').waitFor()
    await expect.poll(() => look(other)).toEqual({ theme: 'system', density: 'compact' })
  })

  const isPreference = (url: URL) => url.pathname.endsWith('/table/sys_user_preference')
  /** Holds the stored settings: the response is as old as its request. @returns lets it arrive */
  async function holdPreferences(page: Page): Promise<() => void> {
    const arrive = Promise.withResolvers<void>()
    await page.route(isPreference, async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      const response = await route.fetch()
      await arrive.promise
      await route.fulfill({ response })
    })
    return arrive.resolve
  }
  const written = (page: Page, method: 'POST' | 'PATCH') =>
    page.waitForResponse(
      (each) => each.request().method() === method && new URL(each.url()).pathname.includes('/sys_user_preference'),
    )

  test('nothing is chosen before the stored choices are known: they would be displayed wrong, and replaced', async () => {
    const preferences = { look: { theme: 'dark', density: 'comfortable' }, form: { tabs: true } }
    for (const [name, value] of Object.entries(preferences)) {
      const body = { name: `console.${name}`, value }
      const path = '/rest/v1/table/sys_user_preference'
      expect((await stage.docket.request('POST', path, { as: loginOf('john.smith'), body })).status).toBe(200)
    }
    // A browser that knows nothing yet.
    const other = await stage.signedIn('john.smith')
    const arrive = await holdPreferences(other)
    await other.evaluate('localStorage.clear()')
    await other.goto(`${stage.baseUrl}/console/me`)
    const choices = [
      other.getByLabel(/^(Light|Светлая)$/),
      other.getByLabel(/^(Compact|Плотно)$/),
      other.getByLabel(/^(Sections of a record are tabs|Разделы записи — вкладки)/),
    ]
    for (const each of choices) await each.and(other.locator(':disabled')).waitFor()
    arrive()
    for (const each of choices) await each.and(other.locator(':enabled')).waitFor()
    await expect.poll(() => Promise.all(choices.map((each) => each.isChecked()))).toEqual([false, false, true])
    await choices[0]?.check()
    await expect
      .poll(() => other.evaluate('({ ...document.documentElement.dataset })'))
      .toEqual({ theme: 'light', density: 'comfortable' })
  })

  test('a choice that is made while newer ones are being read stays, and the others too', async () => {
    const page = await stage.signedIn('michael.brown', '/me')
    const dark = written(page, 'POST')
    await page.getByLabel('Dark').check()
    await dark
    const other = await stage.signedIn('michael.brown', '/me')
    // This browser knows the choice of before from now on.
    await other.getByLabel('Dark').and(other.locator(':checked')).waitFor()
    await stage.settled(other)
    const light = written(page, 'PATCH')
    await page.getByLabel('Light').check()
    await light
    const arrive = await holdPreferences(other)
    await other.goto(`${stage.baseUrl}/console/me`)
    const box = other.getByLabel('Sections of a record are tabs (in every browser)')
    const tabs = written(other, 'POST')
    await box.check()
    await (await tabs).finished()
    // The response was made before the choice, and arrives after it.
    arrive()
    const stored = "JSON.parse(localStorage['docket.preferences'] ?? '{}').preferences"
    await expect.poll(() => other.evaluate(`${stored}?.look?.value.theme`)).toBe('light')
    expect(await other.evaluate(`${stored}.form.value`)).toEqual({ tabs: true })
    await expect.poll(() => other.evaluate('document.documentElement.dataset.theme')).toBe('light')
    expect(await box.isChecked()).toBe(true)
    // Another page of the console takes the choice from what this page knows.
    await other.evaluate(
      `history.pushState({}, '', '/console/t/itsm_incident?q=active=true'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await other.locator('[data-record] a').first().click()
    await other.getByRole('tab').first().waitFor()
  })

  test('boxes keep their size beside titles of two lines', async () => {
    const page = await stage.signedIn('anna.petrova', '/me', { width: 390 })
    const boxes = page.getByRole('checkbox')
    await boxes.last().waitFor()
    const sizes = await boxes.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()))
    expect(sizes).toEqual([
      expect.objectContaining({ width: 16, height: 16 }),
      expect.objectContaining({ width: 16, height: 16 }),
    ])
  })

  test('single keys can be turned off', async () => {
    const page = await stage.signedIn('michael.brown', '/me')
    await page.getByLabel('Single keys such as / and n do something').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('Single keys such as / and n do something').uncheck()
    await page.locator('h1').click()
    await page.keyboard.press('?')
    // Another key that still works: it was pressed later, so the first one would have done something by now.
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
    expect(await page.getByRole('dialog', { name: 'Keyboard' }).count()).toBe(0)
  })

  test('a failure that is not about a password is not said of one, and is tried again', async () => {
    const page = await stage.signedIn('john.smith', '/me')
    const [old, fresh, again] = ['old', 'new', 'again'].map((each) => page.locator(`input[name=${each}]`))
    const { password } = loginOf('john.smith')
    stage.proxy.fail(/^POST \/v1\/auth\/password/, { kind: 'cut-before' })
    await old?.fill(password)
    await fresh?.fill('a new password 2')
    await again?.fill('a new password 2')
    await again?.press('Enter')
    const alert = page.getByRole('alert').filter({ hasText: /The server cannot be reached|Сервер недоступен/ })
    await alert.waitFor()
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
    expect(await old?.inputValue()).toBe(password)
    stage.proxy.heal()
    await alert.getByRole('button').last().click()
    await expect.poll(() => old?.inputValue()).toBe('')
    await alert.waitFor({ state: 'detached' })
    stage.takeComplaints()
  })

  test.each(widths)('axe finds nothing in the own settings: $width px', async (view) => {
    const page = await stage.signedIn('anna.petrova', '/me', view)
    await page.getByRole('listitem').filter({ hasText: 'Chrome' }).first().waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
  })
})

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
    'Chrome, Linux',
  ],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1', 'Safari, iOS'],
  ['Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Windows'],
  ['curl/8.5.0', 'curl/8.5.0'],
])('a browser is called what people call it: %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
