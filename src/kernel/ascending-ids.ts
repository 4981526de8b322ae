/** @param joined ids with commas between them, in any order; null: none */
export const ascendingIds = (joined: string | null | undefined): Float64Array =>
  Float64Array.from(joined ? joined.split(',') : [], Number).sort()

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
