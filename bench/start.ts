/**
 * npm run bench:start: from a fresh clone of the committed state to the first response, as in README (`npm ci && npm start`), and the
 * second start.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'

const here = fileURLToPath(new URL('..', import.meta.url))
const machine = describeMachine()
const parent = temporaryFolder()
const folder = join(parent, 'docket')

try {
  execFileSync('git', ['clone', '--quiet', here, folder])
  const beganMs = performance.now()
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const installedMs = performance.now()
  const first = await startAndRequest(null)
  const firstMs = performance.now()
  await first.stop()
  const second = await startAndRequest(first.password)
  await second.stop()

  const seconds = {
    install: (installedMs - beganMs) / 1_000,
    firstStart: first.tookSeconds,
    installAndFirstStart: (firstMs - beganMs) / 1_000,
    secondStart: second.tookSeconds,
  }
  writeResults('start', { machine, seconds }, [
    'Each time ends with the response to the request that the ready message suggests. Packages came from the registry or npm’s',
    'cache on this machine.',
    '',
    ...table(
      ['', 'seconds'],
      [
        ['npm ci', String(rounded(seconds.install))],
        ['first npm start (makes the database, fills in the demo)', String(rounded(seconds.firstStart))],
        ['both, clone to first response', String(rounded(seconds.installAndFirstStart))],
        ['second npm start (aim: under 3)', String(rounded(seconds.secondStart))],
      ],
    ),
  ])
} finally {
  rmSync(parent, { recursive: true, force: true })
}

/** @param known the password of an earlier start; null: this one prints it */
async function startAndRequest(known: string | null) {
  const beganMs = performance.now()
  const docket = await spawnDocket({ DOCKET_DEMO: 'on', HOME: process.env['HOME'] ?? '' }, { folder, throughNpm: true })
  const password = known ?? /^Administrator: admin, password: (\S+)/m.exec(docket.output())?.[1] ?? ''
  const response = await fetch(`${docket.address}/rest/v1/table/itsm_incident?sysparm_limit=3`, {
    headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the first request was rejected: ${text}`)
  return { password, tookSeconds: (performance.now() - beganMs) / 1_000, stop: docket.stop }
}
