import { afterAll, expect } from 'vitest'
import { databasesLeft } from './fresh-database.ts'

// Runs after every test file (vitest.config.ts, setupFiles): what a file starts, it ends.
afterAll(() => {
  expect(databasesLeft(), 'databases that the test file did not drop').toEqual([])
})
