/**
 * For reads that events cause.
 *
 * @returns reads at once. While it reads, any number of further calls are one more reading after it.
 */
export function coalesced(read: () => Promise<unknown>): () => void {
  let isRunning = false
  let isWanted = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      await read().catch(() => undefined)
    }
    isRunning = false
  }
  return () => {
    isWanted = true
    if (!isRunning) void run()
  }
}
