/** Times of the statements of one shape. Adding to it costs a fast statement a few additions. */
export interface StatementTimes {
  runs: number
  slowRuns: number
  totalMs: number
  maxMs: number
  rowsReturned: number
  /** Runs by time; see `bucketOf`. */
  readonly histogram: number[]
}

/** Bounds from 1 ms to 2^16 ms, four to a doubling; the last bucket has all that took longer. */
const BUCKETS = 65
const PER_DOUBLING = 4

export const noTimes = (): StatementTimes => ({
  runs: 0,
  slowRuns: 0,
  totalMs: 0,
  maxMs: 0,
  rowsReturned: 0,
  histogram: new Array<number>(BUCKETS).fill(0),
})

/** A bucket's bound in ms is 2^(bucket / 4). */
function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log2(ms) * PER_DOUBLING))
}

export interface FinishedRun {
  readonly tookMs: number
  readonly isSlow: boolean
  readonly rows: number
}

export function addRun(times: StatementTimes, { tookMs, isSlow, rows }: FinishedRun): void {
  times.runs += 1
  times.totalMs += tookMs
  times.rowsReturned += rows
  const bucket = bucketOf(tookMs)
  times.histogram[bucket] = (times.histogram[bucket] ?? 0) + 1
  if (tookMs > times.maxMs) times.maxMs = tookMs
  if (isSlow) times.slowRuns += 1
}

/**
 * The time within which a part of all runs ended, up to the width of a bucket (19 %) too high.
 *
 * @param part such as 0.95
 */
export function percentileOf(histogram: readonly number[], maxMs: number, part: number): number {
  const runs = histogram.reduce((sum, count) => sum + count, 0)
  let seen = 0
  for (const [bucket, count] of histogram.entries()) {
    seen += count
    if (seen < runs * part) continue
    return bucket === BUCKETS - 1 ? maxMs : Math.min(maxMs, 2 ** (bucket / PER_DOUBLING))
  }
  return maxMs
}
