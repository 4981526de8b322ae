/** @param pages ids with commas between them, in any order */
export const ascendingIds = (pages: readonly string[]): Float64Array =>
  concatNumbers(pages.map((page) => Float64Array.from(page.split(','), Number))).sort()

export function concatNumbers(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let from = 0
  for (const part of parts) {
    whole.set(part, from)
    from += part.length
  }
  return whole
}

/** @returns a copy that threads read without copying it again */
export function sharedIds(ids: Float64Array): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(ids.byteLength))
  shared.set(ids)
  return shared
}

/**
 * @param ids ascending
 * @returns a shared copy, ascending, without the removed ids and with the added ones
 */
export function changedIds(ids: Float64Array, removed: ReadonlySet<number>, added: ReadonlySet<number>): Float64Array {
  const changed = Float64Array.from(new Set([...removed, ...added])).sort()
  const parts: Float64Array[] = []
  let from = 0
  for (const id of changed) {
    const at = firstIndexFrom(ids, id)
    parts.push(ids.subarray(from, at))
    if (added.has(id)) parts.push(Float64Array.of(id))
    from = ids[at] === id ? at + 1 : at
  }
  return sharedIds(concatNumbers([...parts, ids.subarray(from)]))
}

/** @returns the index of an id in an ascending list, or -1 */
export function indexOfId(ascending: Float64Array, id: number): number {
  const at = firstIndexFrom(ascending, id)
  return ascending[at] === id ? at : -1
}

/** @returns the index of the first of the ascending ids that is at least this one */
export function firstIndexFrom(ascending: Float64Array, id: number): number {
  return indexWithin(ascending, id, 0, ascending.length)
}

/**
 * As `firstIndexFrom`, for an id whose index is probably not far behind another one: reads twice the logarithm of the distance.
 *
 * @param from all ids before this index are smaller
 */
export function nextIndexFrom(ascending: Float64Array, id: number, from: number): number {
  let low = from
  let high = from
  for (let step = 1; high < ascending.length && (ascending[high] as number) < id; step *= 2) {
    low = high + 1
    high += step
  }
  return indexWithin(ascending, id, low, Math.min(high, ascending.length))
}

function indexWithin(ascending: Float64Array, id: number, from: number, to: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < id) low = middle + 1
    else high = middle
  }
  return low
}
