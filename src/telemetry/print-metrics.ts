import type { MetricsSnapshot } from './metrics.ts'

/** Figures that only the process itself has. */
export interface ProcessFigures {
  readonly startedMs: number
  readonly residentBytes: number
  readonly cpuSeconds: number
}

/**
 * The counts as Prometheus reads them (text format 0.0.4). Units are seconds and bytes, as its users expect.
 *
 * Labels hold route patterns, methods, statuses and names of our own, so there is nothing to escape in them and no caller can
 * make their number grow.
 */
export function printMetrics(
  { observations, requests, removedChanges }: MetricsSnapshot,
  figures: ProcessFigures,
): string {
  const lines = [
    '# HELP docket_request_duration_seconds Time from the request line to the last byte of the response.',
    '# TYPE docket_request_duration_seconds histogram',
  ]
  for (const { method, route, status, count, totalMs, atMostMs } of requests) {
    const labels = `method="${method}",route="${route}",status="${status}"`
    for (const { endMs, count: atMost } of atMostMs) {
      const end = endMs === Number.POSITIVE_INFINITY ? '+Inf' : String(endMs / 1_000)
      lines.push(`docket_request_duration_seconds_bucket{${labels},le="${end}"} ${atMost}`)
    }
    lines.push(`docket_request_duration_seconds_sum{${labels}} ${totalMs / 1_000}`)
    lines.push(`docket_request_duration_seconds_count{${labels}} ${count}`)
  }
  lines.push(
    '# HELP docket_observations_total What the log tells of, by kind.',
    '# TYPE docket_observations_total counter',
  )
  for (const [kind, count] of Object.entries(observations))
    lines.push(`docket_observations_total{kind="${kind}"} ${count}`)
  lines.push(
    '# HELP docket_history_removed_changes_total Changes that this process exported and removed from history and deletion log.',
    '# TYPE docket_history_removed_changes_total counter',
    `docket_history_removed_changes_total ${removedChanges}`,
    '# TYPE process_start_time_seconds gauge',
    `process_start_time_seconds ${figures.startedMs / 1_000}`,
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${figures.residentBytes}`,
    '# TYPE process_cpu_seconds_total counter',
    `process_cpu_seconds_total ${figures.cpuSeconds}`,
  )
  return `${lines.join('\n')}\n`
}
