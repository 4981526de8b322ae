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

/** @returns the index of an id in an ascending list, or -1 */
export function indexOfId(ascending: Float64Array, id: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const held = ascending[middle] as number
    if (held === id) return middle
    if (held < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}
