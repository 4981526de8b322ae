import { loadCatalog } from '../catalog/load-catalog.ts'
import { readSettings, type Settings } from '../config/settings.ts'
import { openDatabase } from '../database/database.ts'
import { examineServer } from '../database/examine-server.ts'
import { findDatabase, reachDatabase } from '../database/reach-database.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { observeNothing } from '../telemetry/observation.ts'
import { databaseChecks, settingsChecks } from './all-checks.ts'
import type { Check, Examined, Finding, SettingsGround } from './check.ts'
import { reportServer, unusable } from './report-server.ts'

/** One check, and what came of it. */
export interface Report extends Examined {
  readonly check: string
  /** Why the check did not run; null: it ran. */
  readonly skipped: string | null
}

export interface Wish extends Omit<SettingsGround, 'settings'> {
  /** `DOCKET_…` variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** In the order in which they run. */
export const checkNames: readonly string[] = [
  ...settingsChecks.map(({ name }) => name),
  'database',
  ...databaseChecks.map(({ name }) => name),
]

/**
 * Examines a whole installation and writes nothing. Read this function first: the settings, what lies on this machine, the server
 * of the database, what the database says.
 *
 * @returns a report of each check, in the order of `checkNames`
 */
export async function examine({ environment, ...wish }: Wish): Promise<readonly Report[]> {
  const settings = settingsOf(environment)
  if ('fault' in settings) return withSkipped([reportOf('settings', settings)], 'the settings cannot be used')
  const ground: SettingsGround = { ...wish, settings }
  const onMachine = await runChecks(settingsChecks, ground)
  const { reports, why } = await examineDatabase(ground, onMachine)
  return withSkipped([...onMachine, ...reports], why)
}

/**
 * The same for a server that runs: its settings are in use and its database responds. The connections are separate, so that the
 * checks take none from requests.
 */
export async function examineRunning(ground: SettingsGround, connectionString: string): Promise<readonly Report[]> {
  const onMachine = await runChecks(settingsChecks, ground)
  const { reports, why } = await examineServing(ground, connectionString)
  return withSkipped([...onMachine, ...reports], why)
}

function settingsOf(environment: Wish['environment']): Settings | Finding {
  try {
    return readSettings(environment)
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error
    const what = error.message.replaceAll('\n', ' ').replace(/\.$/, '')
    const cure = 'correct these variables; docs/settings.md lists them all'
    return { fault: 'settings-wrong', what, where: 'the environment', cure }
  }
}

interface Part {
  readonly reports: readonly Report[]
  /** Why the checks that are not in it did not run. */
  readonly why: string
}

/** An embedded server at rest is started for as long as this takes. */
async function examineDatabase(ground: SettingsGround, earlier: readonly Report[]): Promise<Part> {
  const { settings } = ground
  try {
    const found = await findDatabase(settings)
    if (found.kind === 'none') return { reports: [], why: 'there is no database yet: the first start creates it' }
    if (found.kind === 'serving') return await examineServing(ground, found.connectionString)
    // Starting it would close an open data directory, and nothing is repaired here.
    if (earlier.some(({ check, findings }) => check === 'data directory' && findings.length > 0))
      return { reports: [], why: 'the embedded PostgreSQL is not running; put the data directory right first' }
    const reached = await reachDatabase(settings, observeNothing)
    try {
      return await examineServing(ground, reached.connectionString)
    } finally {
      await reached.stop()
    }
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error
    return {
      reports: [{ check: 'database', skipped: null, ...unusable('unreachable', error.message) }],
      why: 'the database is not reached',
    }
  }
}

async function examineServing(ground: SettingsGround, connectionString: string): Promise<Part> {
  const state = await examineServer(connectionString)
  const server: Report = { check: 'database', skipped: null, ...reportServer(state) }
  if (state.kind === 'empty') return { reports: [server], why: 'the first start fills the database' }
  if (state.kind !== 'current') return { reports: [server], why: 'put the database right first' }
  return { reports: [server, ...(await examineContents(ground, connectionString))], why: '' }
}

async function examineContents(ground: SettingsGround, connectionString: string): Promise<readonly Report[]> {
  const database = openDatabase({
    connectionString,
    maxConnections: 2,
    statementTimeoutMs: ground.isThorough ? 0 : 60_000,
    applicationName: 'docket doctor',
    isReadOnly: true,
  })
  try {
    return await runChecks(databaseChecks, { ...ground, database, catalog: await loadCatalog(database) })
  } finally {
    await database.close()
  }
}

/** One after the other: a server that runs beside has the machine to itself as far as possible. */
async function runChecks<Ground extends SettingsGround>(
  checks: readonly Check<Ground>[],
  ground: Ground,
): Promise<readonly Report[]> {
  const reports: Report[] = []
  for (const check of checks) {
    ground.stopping?.throwIfAborted()
    reports.push(await runCheck(check, ground))
  }
  return reports
}

/** A check that fails says so; the others still run. */
async function runCheck<Ground>({ name, run }: Check<Ground>, ground: Ground): Promise<Report> {
  try {
    return { check: name, skipped: null, ...(await run(ground)) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const what = `The check could not be finished (${reason.replace(/\s+/g, ' ')})`
    const cure = 'put right what it names, and run docket doctor again'
    return reportOf(name, { fault: 'check-failed', what, where: name, cure })
  }
}

const reportOf = (check: string, finding: Finding): Report => ({
  check,
  skipped: null,
  summary: '',
  findings: [finding],
})

function withSkipped(reports: readonly Report[], why: string): readonly Report[] {
  return checkNames.map(
    (check) => reports.find((report) => report.check === check) ?? { check, skipped: why, summary: '', findings: [] },
  )
}
