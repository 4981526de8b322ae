import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPublicPasswords } from '../../src/demo/public-passwords.ts'
import { setUserPassword } from '../../src/identity/manage-users.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { spawnDocket, spawnFailing, temporaryFolder } from '../harness/spawn-docket.ts'

let desk: FreshDatabase
let blank: FreshDatabase
beforeAll(async () => {
  ;[desk, blank] = await Promise.all([freshDatabase('demo'), freshDatabase('blank')])
})
afterAll(() => Promise.all([desk.drop(), blank.drop()]))

const dataDir = temporaryFolder()
const environment = ({ connectionString }: FreshDatabase, more: Record<string, string>) => ({
  DOCKET_DATABASE_URL: connectionString,
  DOCKET_DATA_DIR: dataDir,
  DOCKET_DEMO: '',
  ...more,
})

const present = (host: string) =>
  `DOCKET_HOST is ${host}, which other machines can reach, and the demo users anna.petrova, michael.brown, maria.sokolova, john.smith, elena.volkova have published passwords: remove the demo with "docket demo remove", or set DOCKET_DEMO=on to serve it all the same.\n`

test.each([
  { DOCKET_HOST: '0.0.0.0' },
  { DOCKET_HOST: '::', DOCKET_WORKERS: '2' },
  { DOCKET_HOST: '0.0.0.0', DOCKET_DEMO: 'off' },
])('a database with demo users does not start on the network: %o (issue 8, A6)', async (more) => {
  const { exit, output, log } = await spawnFailing(environment(desk, more))
  expect({ code: exit.code, output }).toEqual({ code: 2, output: '' })
  expect(log.replace(/^\{.*\n/gm, '')).toBe(present(more.DOCKET_HOST))
})

test('nor does a first start that would create them, until DOCKET_DEMO is decided (issue 8, A6)', async () => {
  const { exit, output, log } = await spawnFailing(environment(blank, { DOCKET_HOST: '0.0.0.0' }))
  expect({ code: exit.code, output }).toEqual({ code: 2, output: '' })
  expect(log.replace(/^\{.*\n/gm, '')).toBe(
    'DOCKET_HOST is 0.0.0.0, which other machines can reach, and the first start creates demo users with published passwords: set DOCKET_DEMO=off to start without them, or DOCKET_DEMO=on to serve them all the same.\n',
  )
})

test('with DOCKET_DEMO=on it starts and names its real address, /docs and the demo users (issue 8, A6)', async () => {
  const docket = await spawnDocket(environment(desk, { DOCKET_HOST: '0.0.0.0', DOCKET_DEMO: 'on' }))
  const lines = docket.output().split('\n')
  await docket.stop()
  expect(docket.output()).not.toContain('0.0.0.0')
  expect(lines[0]).toBe(`Docket is ready at ${docket.address} (documentation: ${docket.address}/docs)`)
  expect(lines[1]).toBe(
    'Demo users: anna.petrova, michael.brown, maria.sokolova, john.smith, elena.volkova (passwords: docs/demo-desk.md)',
  )
})

test('who has another password than the published one does not count (issue 8, A6)', async () => {
  await setUserPassword(desk.database, 'john.smith', 'a password of his own')
  expect(await findPublicPasswords(desk.database)).toEqual([
    'anna.petrova',
    'michael.brown',
    'maria.sokolova',
    'elena.volkova',
  ])
})
