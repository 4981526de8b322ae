import { afterEach, expect, test } from 'vitest'
import { describeObservation } from '../../src/telemetry/describe-observation.ts'
import { type HttpShell, startHttpShell } from '../harness/http-shell.ts'

let shell: HttpShell
afterEach(() => shell.end())

const warnings = () => shell.observations.filter(({ kind }) => kind === 'forwarding-ignored')
const forwarded = { 'x-forwarded-for': '203.0.113.1' }

test('X-Forwarded-For from an address that is no trusted proxy is reported once (issue 8, A8)', async () => {
  shell = await startHttpShell()
  await shell.send('GET', '/health')
  expect(warnings()).toEqual([])
  for (let n = 0; n < 3; n++) await shell.send('GET', '/health', { headers: forwarded })
  expect(warnings()).toEqual([{ kind: 'forwarding-ignored', address: '127.0.0.1' }])
  expect(warnings().map(describeObservation)).toEqual([
    {
      level: 'warn',
      message:
        'ignored X-Forwarded-For from 127.0.0.1: if it is a proxy of yours, name it in DOCKET_TRUSTED_PROXIES; ' +
        'until then all callers behind it count as one address',
    },
  ])
})

test.each([
  [['127.0.0.1'], 0],
  [['10.0.0.0/8'], 1],
])('with the trusted proxies %j it is reported %i times (issue 8, A8)', async (trustedProxies, times) => {
  shell = await startHttpShell({ settings: { trustedProxies } })
  await shell.send('GET', '/health', { headers: forwarded })
  expect(warnings().length).toBe(times)
})
