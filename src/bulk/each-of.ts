/** Rows that are looked up, or written by themselves, at once: their commits share what the disk is waited for. */
const atOnce = 8

/** Does work for each, some at once. @returns what it gave, in their order */
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
