import type { Observe } from './observation.ts'

/** Upper ends of the buckets that requests are counted in, in milliseconds. */
const bucketEndsMs = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const

/** Counts since the process started. */
export interface MetricsSnapshot {
  /** How often each kind of observation was made. */
  readonly observations: Readonly<Record<string, number>>
  /** Requests by route pattern and status. */
  readonly requests: readonly RequestCount[]
  /** Changes that the retention removed from history and deletion log. */
  readonly removedChanges: number
}

export interface RequestCount {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly count: number
  readonly totalMs: number
  /** Requests that took at most so many milliseconds; the last bucket has no end and counts all. */
  readonly atMostMs: readonly { readonly endMs: number; readonly count: number }[]
}

export interface Metrics {
  readonly observe: Observe
  read(): MetricsSnapshot
}

interface Tally {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly buckets: Uint32Array
  totalMs: number
}

/** Numbers only, in memory that does not grow with requests: routes are patterns, statuses are few. */
export function createMetrics(): Metrics {
  const observations = new Map<string, number>()
  const tallies: Tally[] = []
  const ofRoutes = new Map<string, Tally[]>()
  let removedChanges = 0

  const tallyFor = (method: string, route: string, status: number): Tally => {
    // No key is put together from the three: that would cost more than to compare the few tallies of a route.
    const ofRoute = ofRoutes.get(route) ?? []
    const known = ofRoute.find((each) => each.status === status && each.method === method)
    if (known !== undefined) return known
    const made = { method, route, status, buckets: new Uint32Array(bucketEndsMs.length + 1), totalMs: 0 }
    tallies.push(made)
    ofRoute.push(made)
    ofRoutes.set(route, ofRoute)
    return made
  }

  return {
    observe(seen) {
      observations.set(seen.kind, (observations.get(seen.kind) ?? 0) + 1)
      if (seen.kind === 'history-removed') removedChanges += seen.changes
      if (seen.kind !== 'request-finished') return
      const tally = tallyFor(seen.method, seen.route, seen.status)
      const bucket = bucketEndsMs.findIndex((endMs) => seen.tookMs <= endMs)
      const at = bucket === -1 ? bucketEndsMs.length : bucket
      tally.buckets[at] = (tally.buckets[at] ?? 0) + 1
      tally.totalMs += seen.tookMs
    },
    read: () => ({
      observations: Object.fromEntries(observations),
      requests: tallies.map(countOf),
      removedChanges,
    }),
  }
}

function countOf({ method, route, status, buckets, totalMs }: Tally): RequestCount {
  let count = 0
  const atMostMs = [...buckets].map((requests, at) => {
    count += requests
    return { endMs: bucketEndsMs[at] ?? Number.POSITIVE_INFINITY, count }
  })
  return { method, route, status, count, totalMs, atMostMs }
}
