/** Times of the statements of one shape. Adding a run takes a few additions. */
export interface StatementTimes {
  runs: number
  slowRuns: number
  totalMs: number
  maxMs: number
  rowsReturned: number
  /** Number of runs by bucket; see `bucketOf`. */
  readonly histogram: number[]
}

/** Upper bounds of buckets go from 1 ms to 2^16 ms, four for each doubling; the last bucket also has all longer runs. */
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

/** The upper bound of a bucket is 2^(bucket / 4) ms. */
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
 * A percentile of the times; too high by at most the width of a bucket (19 %).
 *
 * @param part the share of the runs, such as 0.95
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
