/**
 * npm run bench:console: the budgets of the console in time, in Chromium on a demo desk with 10,000 more incidents. Budgets in
 * bytes are checks (test/flow/console.test.ts).
 *
 *   --rounds 5     navigations of each kind
 *   --minutes 30   of list, form, back; the memory at their end is compared with that after two minutes
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { demoUsers } from '../src/demo/demo-users.ts'
import { spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { type BarePage, serveBarePage } from './console/bare-page.ts'
import { heapBytes, observePage, type PageFigures, readFigures, slowDown } from './console/observe-page.ts'
import { bareList, scrollFrames } from './console/scroll-list.ts'
import { rounded, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'

const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, minutes: { type: 'string', default: '30' } },
})
const rounds = Number(given.rounds)
const minutes = Number(given.minutes)
const rows = 10_000
const columns =
  'number,subject,state,priority,caller,assignment_group,assigned_user,opened_at,company,urgency,impact,sys_updated_at'
const view = { width: 1_440, height: 900 }

execFileSync(process.execPath, [fileURLToPath(new URL('../tools/build-console.ts', import.meta.url))])
const machine = describeMachine()
const docket = await spawnDocket({ DOCKET_DEMO: 'on', DOCKET_DATA_DIR: temporaryFolder() })
const browser = await chromium.launch({
  executablePath: process.env['DOCKET_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  await addIncidents()
  const state = await signIn(browser)
  const first = `${docket.address}/console/t/itsm_incident?q=active=true^ORDERBYDESCopened_at`
  const loads = await measureLoads(browser, state, first)
  const scroll = await measureScroll(browser, state)
  const memory = await measureMemory(browser, state, first)
  report({ loads, scroll, memory })
} finally {
  await browser.close()
  await docket.stop()
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>

async function addIncidents(): Promise<void> {
  const password = /^Administrator: admin, password: (\S+)/m.exec(docket.output())?.[1] ?? ''
  const body = Array.from({ length: rows }, (_, at) => JSON.stringify({ subject: `Bench ${at}`, urgency: '2' })).join(
    '\n',
  )
  const response = await fetch(`${docket.address}/rest/v1/import/itsm_incident?format=ndjson`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
      'content-type': 'application/x-ndjson',
    },
    body,
  })
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
}

async function signIn(of: Browser): Promise<State> {
  const user = demoUsers.find(({ userName }) => userName === 'michael.brown')
  const context = await of.newContext()
  const page = await context.newPage()
  await page.goto(`${docket.address}/console`)
  await page.locator('input[name=username]').fill(user?.userName ?? '')
  await page.locator('input[name=password]').fill(user?.password ?? '')
  await page.keyboard.press('Enter')
  await page.locator('main#page').waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

/** The first list, with nothing in the cache of the browser, and again with what the first time left there. */
async function measureLoads(of: Browser, state: State, address: string) {
  const cold: PageFigures[] = []
  const warm: PageFigures[] = []
  const bare: PageFigures[] = []
  let barePage: BarePage | null = null
  for (let round = 0; round < rounds; round += 1) {
    const context = await of.newContext({ viewport: view, storageState: state })
    const page = await context.newPage()
    await observePage(page)
    await slowDown(page)
    for (const figures of [cold, warm]) {
      await page.goto(address)
      await page.locator('#root [data-record] a').first().waitFor()
      // The event stream stays open, so the network is never idle.
      await page.waitForTimeout(2_000)
      await interact(page)
      figures.push(await readFigures(page))
      await page.goto('about:blank')
    }
    barePage ??= await asBarePage(context, address)
    await page.goto(barePage.address)
    await page.waitForTimeout(1_000)
    bare.push(await readFigures(page))
    await context.close()
  }
  barePage?.close()
  return { cold, warm, bare }
}

/** The first list, as it stands when its rows are there. */
async function asBarePage(context: BrowserContext, address: string): Promise<BarePage> {
  const page = await context.newPage()
  await page.goto(address)
  await page.locator('#root [data-record] a').first().waitFor()
  await page.waitForTimeout(2_000)
  const bare = await serveBarePage(page)
  await page.close()
  return bare
}

/** What agents do in a list: move, select, sort, open a menu, type. */
async function interact(page: Page): Promise<void> {
  const settle = (): Promise<void> => page.waitForTimeout(400)
  await page.locator('#root [data-record]').first().focus()
  for (const key of ['ArrowDown', 'ArrowDown', 'x', 'x', 'f', 'Escape']) {
    await page.keyboard.press(key)
    await settle()
  }
  await page.getByRole('columnheader', { name: 'Number' }).getByRole('button').first().click()
  await settle()
  await page.keyboard.press('/')
  await page.keyboard.type('vpn', { delay: 80 })
  await settle()
}

async function measureScroll(of: Browser, state: State) {
  const context = await of.newContext({ viewport: view, storageState: state })
  const page = await context.newPage()
  const bare = await context.newPage()
  await page.goto(`${docket.address}/console/t/itsm_incident?q=subjectSTARTSWITHBench^ORDERBYnumber&cols=${columns}`)
  await page.locator('#root [data-record] a').first().waitFor()
  await bare.setContent(bareList(rows, columns.split(',').length))
  const found = []
  for (let round = 0; round < rounds; round += 1) {
    await bare.bringToFront()
    const one = await scrollFrames(bare, "document.getElementById('list')")
    await page.bringToFront()
    found.push({ bare: one, list: await scrollFrames(page, "document.querySelector('[role=grid]').parentElement") })
  }
  await context.close()
  return found
}

/** List, form, back, until the time is over. */
async function measureMemory(of: Browser, state: State, address: string) {
  const context = await of.newContext({ viewport: view, storageState: state })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const beganMs = performance.now()
  const passed = (): number => (performance.now() - beganMs) / 60_000
  await page.goto(address)
  let visits = 0
  let early = 0
  while (passed() < minutes) {
    const links = page.locator('#root [data-record] a')
    await links.first().waitFor()
    await links.nth(visits % 10).click()
    await page.locator('#field-subject').waitFor()
    await page.goBack()
    visits += 1
    if (early === 0 && passed() >= 2) early = await heapBytes(session)
  }
  await page.locator('#root [data-record] a').first().waitFor()
  const late = await heapBytes(session)
  await context.close()
  return { visits, early, late }
}

interface Measured {
  readonly loads: Awaited<ReturnType<typeof measureLoads>>
  readonly scroll: Awaited<ReturnType<typeof measureScroll>>
  readonly memory: Awaited<ReturnType<typeof measureMemory>>
}

function report({ loads, scroll, memory }: Measured): void {
  const median = (values: readonly number[]): number => rounded(spreadOf(values).median)
  const of = (figures: readonly PageFigures[], pick: (one: PageFigures) => number): number => median(figures.map(pick))
  const longest = ({ interactionsMs }: PageFigures): number => Math.max(16, ...interactionsMs)
  const ratio = scroll.map(({ bare, list }) => list.medianMs / bare.medianMs)
  const percent = (part: number): string => `${rounded(part * 100)} %`
  writeResults('console', { machine, rounds, minutes, loads, scroll, memory }, [
    `Chromium ${browser.version()}, ${rounds} rounds, medians. First list: CPU slowed 4 times, 10 Mbit/s, 40 ms. INP is the longest of nine interactions.`,
    '',
    ...table(
      ['', 'measured', 'budget'],
      [
        ['first list, cold: LCP, ms', String(of(loads.cold, (one) => one.largestMs)), '1800'],
        ['first list, cold: first row of the console, ms', String(of(loads.cold, (one) => one.firstRowMs)), ''],
        ['first list, warm: LCP, ms', String(of(loads.warm, (one) => one.largestMs)), '800'],
        ['first list, warm: first row of the console, ms', String(of(loads.warm, (one) => one.firstRowMs)), ''],
        ['the same list as HTML without script: LCP, ms', String(of(loads.bare, (one) => one.largestMs)), ''],
        ['CLS', String(of(loads.cold, (one) => one.shift)), '0.02'],
        ['INP, ms', String(of(loads.warm, longest)), '150'],
        [
          'scroll of 10,000 rows, 12 columns: median frame, ms',
          String(median(scroll.map((one) => one.list.medianMs))),
          '16.7',
        ],
        ['frames above 33 ms', percent(median(scroll.map((one) => one.list.slow))), '1 %'],
        ['bare virtual list: median frame, ms', String(median(scroll.map((one) => one.bare.medianMs))), ''],
        ['bare virtual list: frames above 33 ms', percent(median(scroll.map((one) => one.bare.slow))), ''],
        ['list to bare list', String(median(ratio)), '1.25'],
        ['CPU of a frame, list, ms', String(median(scroll.map((one) => one.list.cpuMs))), ''],
        ['CPU of a frame, bare list, ms', String(median(scroll.map((one) => one.bare.cpuMs))), ''],
        [
          `memory after ${minutes} minutes (${memory.visits} forms) to that after 2`,
          memory.early === 0 ? 'too short' : String(rounded(memory.late / memory.early)),
          '1.2',
        ],
      ],
    ),
  ])
}
