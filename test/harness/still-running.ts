/** Descriptions of everything that this test file has started and not ended yet. A small module, because every test file loads it. */
export const stillRunning = new Set<string>()

/** Run after the test file. Each ends what is still running and returns a description of it. */
export const cleanUps = new Set<() => Promise<readonly string[]>>()
