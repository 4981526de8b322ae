/**
 * npm run pictures: takes the pictures of the README from a running demo desk, in English and light.
 *
 *   npm run pictures [address of the server, http://127.0.0.1:8080 without it]
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { demoUsers } from '../src/demo/demo-users.ts'

const [url = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const executablePath = process.env['DOCKET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const folder = fileURLToPath(new URL('../images', import.meta.url))
const user = demoUsers.find(({ userName }) => userName === 'michael.brown')

const query = 'active=true^caller.language=en^assigned_user.language=en^ORDERBYpriority^ORDERBYDESCopened_at'
const list = `/t/itsm_incident?q=${query}&cols=number,subject,state,priority,caller,assigned_user,opened_at`

/** With the pointer: after a key, the page has a line that says where the focus is. */
async function signIn(page: Page): Promise<void> {
  await page.goto(`${url}/console${list}`)
  await page.locator('input[name=username]').fill(user?.userName ?? '')
  await page.locator('input[name=password]').fill(user?.password ?? '')
  await page.locator('button[type=submit]').click()
}

/** Takes it when the whole page is loaded, and nothing moves. */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined)
  await page.mouse.move(0, 0)
  await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled', caret: 'hide' })
  console.log(`images/${name}.png`)
}

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const viewport = { width: 1_280, height: 680 }
const page = await browser.newPage({ viewport, colorScheme: 'light', locale: 'en-GB' })
await signIn(page)
await page.getByRole('row').nth(3).waitFor()
await take(page, 'console-list')
await page
  .getByRole('row', { name: /In progress/ })
  .first()
  .getByRole('link')
  .click()
await page.locator('#field-subject').waitFor()
await page.getByRole('complementary', { name: 'Activity' }).locator('time').first().waitFor()
await take(page, 'console-form')
await browser.close()
