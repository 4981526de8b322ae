import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/nothing-left.ts', 'test/harness/property-seed.ts'],
    passWithNoTests: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A page under load needs more than the second that is the default.
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // V8's baseline compiler and garbage collector together end a process now and then (nodejs/node#62393); a run has 500 processes.
    execArgv: ['--no-sparkplug'],
    maxWorkers: 2,
    fileParallelism: true,
  },
})
