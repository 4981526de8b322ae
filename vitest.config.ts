import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

const tests = ['src/**/*.test.ts', 'test/**/*.test.ts']

/** What others of the process would see. A file with one of these has a process of its own. */
const changesItsProcess = /\bvi\.|\bprocess\.(env|chdir|umask|on|once)\b|\bglobalThis\b/

/**
 * Files that share processes: what they import is loaded once, not once per file, which was a third of the processor time of
 * test/contract/now. Their servers and databases are still their own.
 */
const sharing = globSync(['src/**/*.test.ts', 'test/contract/**/*.test.ts'], { cwd: import.meta.dirname }).filter(
  (file) => !changesItsProcess.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
)

const all = {
  setupFiles: ['test/harness/nothing-left.ts', 'test/harness/property-seed.ts'],
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // A page under load needs more than the second that is the default.
  expect: { poll: { timeout: 30_000 } },
  pool: 'forks' as const,
  // V8's baseline compiler and garbage collector together end a process now and then (nodejs/node#62393); a run has 300 processes.
  execArgv: ['--no-sparkplug'],
}

export default defineConfig({
  test: {
    globalSetup: ['test/harness/global-setup.ts'],
    passWithNoTests: false,
    maxWorkers: 2,
    fileParallelism: true,
    projects: [
      { test: { ...all, name: 'alone', include: tests, exclude: [...configDefaults.exclude, ...sharing] } },
      { test: { ...all, name: 'sharing', include: sharing, isolate: false } },
    ],
  },
})
