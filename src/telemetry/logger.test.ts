import { expect, test } from 'vitest'
import { type LogOptions, logObservations } from './logger.ts'
import type { Observation } from './observation.ts'

const finished: Observation = {
  kind: 'request-finished',
  requestId: 'r1',
  method: 'GET',
  route: '/health',
  status: 200,
  tookMs: 1.25,
}

function logged(options: Pick<LogOptions, 'level' | 'format'>, ...seen: readonly Observation[]): readonly string[] {
  const lines: string[] = []
  const observe = logObservations({ ...options, write: (line) => lines.push(line), clock: { nowMs: () => 0 } })
  for (const observation of seen) observe(observation)
  return lines
}

test('a JSON entry holds level, time, sentence and every detail', () => {
  const [line] = logged({ level: 'info', format: 'json' }, { kind: 'stopped', tookMs: 12 })
  expect(JSON.parse(line ?? '')).toMatchObject({
    level: 'info',
    time: '1970-01-01T00:00:00.000Z',
    kind: 'stopped',
    tookMs: 12,
    msg: 'stopped (12 ms)',
  })
})

test('an error in a JSON entry keeps its message and stack', () => {
  const error = new Error('no such function')
  const [line] = logged(
    { level: 'error', format: 'json' },
    { kind: 'request-failed', requestId: 'r1', route: '/x', error },
  )
  expect(JSON.parse(line ?? '').error).toMatchObject({ message: 'no such function', stack: error.stack })
})

test('a readable entry is one short line', () => {
  expect(
    logged(
      { level: 'debug', format: 'text' },
      { kind: 'stopping', reason: 'SIGTERM' },
      { kind: 'requests-cut', afterMs: 30_000 },
      finished,
    ),
  ).toEqual([
    '00:00:00 stopping: SIGTERM\n',
    '00:00:00 WARN: cut requests that were still running after 30000 ms\n',
    '00:00:00 DEBUG: GET /health 200 (1.3 ms)\n',
  ])
})

test('what is below the level is not written', () => {
  expect(logged({ level: 'info', format: 'text' }, finished)).toEqual([])
  expect(logged({ level: 'warn', format: 'text' }, { kind: 'stopped', tookMs: 1 })).toEqual([])
  expect(logged({ level: 'silent', format: 'text' }, { kind: 'requests-cut', afterMs: 1 })).toEqual([])
})
