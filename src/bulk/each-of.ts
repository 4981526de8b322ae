/** Rows that are looked up or written at the same time: their commits share one flush to the disk. */
const atOnce = 8

/** Runs work for each item, some concurrently. @returns the results in the order of the items */
export async function eachOf<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) {
      const one = all[at]
      if (one !== undefined) results[at] = await work(one)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker))
  return results
}
