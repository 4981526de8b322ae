import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INTERNAL, WORDINGS } from '../../src/http/response/error-messages.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'
import { readPage, runCommands, type Session, withoutChance } from '../harness/transcript.ts'

/** docs/errors.md has one example for each kind of problem: a request and the whole body of the response. Each is sent here. */

const { setup, sessions } = readPage('docs/errors.md')
const statuses: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(WORDINGS).map(([kind, { status }]) => [kind, status])),
  internal: INTERNAL.status,
}

/** The server waits half a minute before it responds. The other examples run meanwhile. */
const slowest = sessions.find(({ heading }) => heading === 'request-timeout')
let underWay: Promise<void> | undefined

let fresh: FreshDatabase
let docket: RunningDocket
beforeAll(async () => {
  fresh = await freshDatabase('demo')
  docket = await startDocket({ fresh, environment: { DOCKET_STATEMENTS_PER_USER: '1' } })
  if (slowest !== undefined) {
    underWay = tryExample(slowest)
    // Its test reports the failure.
    underWay.catch(() => undefined)
  }
})
afterAll(async () => {
  await docket.close()
  await fresh.drop()
})

/** Errors that no request brings about by itself: what happens around the example. */
const around: Readonly<Record<string, (example: () => Promise<void>) => Promise<void>>> = {
  'too-many-requests': whileAStatementRuns,
  'index-building': whileTheIndexIsBuilt,
  unavailable: withoutFiles,
  internal: withoutTheTable,
}

/** A request of the same user waits for a lock, and nothing else of this user runs. */
async function whileAStatementRuns(example: () => Promise<void>): Promise<void> {
  let request: Promise<{ readonly status: number }> | undefined
  await fresh.database.inTransaction(async (session) => {
    await session.rows(sql`lock table docket.company in access exclusive mode`)
    request = docket.request('GET', '/rest/v1/table/company?sysparm_limit=1', {
      as: { user: 'michael.brown', password: 'demo-michael-5106' },
    })
    await expect.poll(waitingStatements).toBe(1)
    await example()
  })
  expect((await request)?.status).toBe(200)
}

const waitingStatements = async (): Promise<number> =>
  (
    await fresh.database.rows(sql`select 1 from pg_locks where not granted and database = (
    select oid from pg_database where datname = current_database())`)
  ).length

/** Another server starts while nobody can read the texts of documents. */
async function whileTheIndexIsBuilt(example: () => Promise<void>): Promise<void> {
  const body = { collection_name: 'printing', text: 'Printers print', metadata: { doc_id: 'printers' } }
  const as = { user: 'maria.sokolova', password: 'demo-maria-3847' }
  const loaded = await docket.request('POST', '/load_text_to_collection', { as, body })
  expect(loaded.status).toBe(200)
  const own = docket
  try {
    await fresh.database.inTransaction(async (session) => {
      await session.rows(
        sql`lock table docket_documents.chunk, docket_documents.document_terms in access exclusive mode`,
      )
      docket = await startDocket({ fresh, isIndexPending: true })
      await example()
    })
  } finally {
    if (docket !== own) await docket.close()
    docket = own
  }
}

/** Attaches a file as another example does, and takes away its bytes. */
async function withoutFiles(example: () => Promise<void>): Promise<void> {
  const { commands = [] } = sessions.find(({ heading }) => heading === 'precondition-failed') ?? {}
  await runCommands(
    setup,
    commands.map(({ command }) => command),
    docket,
  )
  const folder = join(docket.dataDir, 'attachments')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { name, parentPath } of files) if (name !== 'store-id') rmSync(join(parentPath, name))
  await example()
}

async function withoutTheTable(example: () => Promise<void>): Promise<void> {
  await fresh.database.rows(sql`alter table docket.company rename to company_away`)
  await example()
  await fresh.database.rows(sql`alter table docket.company_away rename to company`)
}

test('the page has one example for each kind of problem, and links to it (issue 9)', () => {
  expect(sessions.map(({ heading }) => heading).sort()).toEqual(Object.keys(statuses).sort())
  const page = readFileSync(fileURLToPath(new URL('../../docs/errors.md', import.meta.url)), 'utf8')
  for (const kind of Object.keys(statuses)) expect(page).toContain(`| [\`${kind}\`](#${kind}) |`)
})

/** The status of each response goes to stderr. */
const WITH_STATUS = `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@"; }`
/** The time to wait depends on how long ten logins take, or the index. */
const withoutWait = (text: string): string =>
  text
    .replaceAll(/(logins. Try again in) \d+ (seconds|minutes)/g, '$1 15 minutes')
    .replaceAll(/(done. Try again in) \d+ seconds?/g, '$1 2 seconds')

async function tryExample({ heading, commands }: Session): Promise<void> {
  const displayed = commands.at(-1)?.displayed ?? ''
  const { baseUrl } = docket
  const { printed, stderr } = await runCommands(
    [...setup, WITH_STATUS],
    commands.map(({ command }) => command),
    docket,
  )
  expect(withoutWait(withoutChance(printed.at(-1) ?? '', baseUrl))).toBe(withoutWait(withoutChance(displayed, baseUrl)))
  expect(Number(stderr.trim().split('\n').at(-1))).toBe(statuses[heading])
}

describe('each example gets the response that the page shows (issue 9)', () => {
  test.each(sessions.filter((session) => session !== slowest))('$heading', async (session) => {
    const example = (): Promise<void> => tryExample(session)
    await (around[session.heading]?.(example) ?? example())
  })

  test('request-timeout', async () => {
    expect(underWay).toBeDefined()
    await underWay
  })
})
