/** Progress of this process's index build after a start without a saved index. */
export interface BuildProgress {
  /** 0 to 99: a complete index has no progress. */
  readonly percent: number
  /** Estimated time until completion. */
  readonly retryAfterSeconds: number
}

/** A search needs a collection that this process is still indexing. Caught once, where searches begin. */
export class IndexBuilding extends Error implements BuildProgress {
  readonly percent: number
  readonly retryAfterSeconds: number

  constructor({ percent, retryAfterSeconds }: BuildProgress) {
    super(`the search index is being built: ${percent} %`)
    this.percent = percent
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const minRetrySeconds = 1
const maxRetrySeconds = 60

interface Work {
  readonly of: number
  readonly done: number
  /** Work that was finished before the measured time. */
  readonly found: number
  readonly tookMs: number
}

export function progressOf({ of, done, found, tookMs }: Work): BuildProgress {
  const leftMs = done === found ? tookMs : (tookMs * (of - done)) / (done - found)
  return {
    percent: of === 0 ? 0 : Math.max(0, Math.min(99, Math.floor((done * 100) / of))),
    retryAfterSeconds: Math.max(minRetrySeconds, Math.min(maxRetrySeconds, Math.ceil(leftMs / 1_000))),
  }
}
