import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import type { Observation } from './observation.ts'

function finished(route: string, status: number, tookMs: number): Observation {
  return { kind: 'request-finished', requestId: 'r', method: 'GET', route, status, tookMs }
}

test('requests are counted by route and status, in buckets that include the smaller ones', () => {
  const metrics = createMetrics()
  for (const tookMs of [0.5, 1, 4, 60_000]) metrics.observe(finished('/rest/v1/table/:table', 200, tookMs))
  metrics.observe(finished('/rest/v1/table/:table', 404, 2))
  metrics.observe({ kind: 'stopping', reason: 'test' })
  const { observations, requests } = metrics.read()
  expect(observations).toEqual({ 'request-finished': 5, stopping: 1 })
  expect(requests.map(({ route, status, count, totalMs }) => ({ route, status, count, totalMs }))).toEqual([
    { route: '/rest/v1/table/:table', status: 200, count: 4, totalMs: 60_005.5 },
    { route: '/rest/v1/table/:table', status: 404, count: 1, totalMs: 2 },
  ])
  const counts = Object.fromEntries((requests[0]?.atMostMs ?? []).map(({ endMs, count }) => [endMs, count]))
  expect(counts).toMatchObject({ 1: 2, 2: 2, 5: 3, 10000: 3, Infinity: 4 })
})
