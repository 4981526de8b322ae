/**
 * Runs Vitest with the given arguments, and ends with one plain line that counts the results of its report. Exit code 1 if a test failed or
 * none ran.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const reportFile = join(root, 'reports', 'tests.json')

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
})

mkdirSync(join(root, 'reports'), { recursive: true })
rmSync(reportFile, { force: true })
const run = spawn(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: ['inherit', 'inherit', 'pipe'] },
)

/** What V8 or Node says when it ends a process: among ten thousand lines of a run, nobody finds it again. */
const lastWords: string[] = []
const maxLastWords = 60
let isEnding = false
createInterface({ input: run.stderr }).on('line', (line) => {
  console.error(line)
  isEnding ||= /^# Fatal error|FATAL ERROR/.test(line)
  if (isEnding && lastWords.length < maxLastWords) lastWords.push(line)
})
const [exitCode] = (await once(run, 'close')) as [number | null]

const files = report.parse(JSON.parse(readFileSync(reportFile, 'utf8'))).testResults
const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
// A file that cannot be loaded, or whose hooks fail, has no failed test of its own.
const brokenFiles = files.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && assertionResults.every((result) => result.status !== 'failed'),
)
const passed = statuses.filter((status) => status === 'passed').length
const failed = statuses.filter((status) => status === 'failed').length + brokenFiles.length
const skipped = statuses.length + brokenFiles.length - passed - failed
for (const line of lastWords) console.log(line)
for (const { name } of brokenFiles) console.log(`failed as a whole: ${name}`)
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = exitCode === 0 && failed === 0 && passed > 0 ? 0 : 1
