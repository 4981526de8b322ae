/** What this test file has started and not ended yet, in words. Small, because every test file loads it. */
export const stillRunning = new Set<string>()

/** Run after the test file; each tells in words what it found still running, and ends it. */
export const cleanUps = new Set<() => Promise<readonly string[]>>()
