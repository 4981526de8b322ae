import { afterAll, expect } from 'vitest'
import { cleanUps, stillRunning } from './still-running.ts'

// Runs after every test file (vitest.config.ts, setupFiles): a file must end everything that it starts.
afterAll(async () => {
  const left = [...stillRunning]
  // Files may share a process: the next one is not blamed for it.
  stillRunning.clear()
  for (const cleanUp of cleanUps) left.push(...(await cleanUp()))
  expect(left, 'what the test file left running').toEqual([])
})
