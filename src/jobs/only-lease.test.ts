import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
const filesWith = (pattern: RegExp): string[] => files.filter((file) => pattern.test(readFileSync(file, 'utf8')))

test('one module knows how rows are leased (issue 9, 5)', () => {
  expect(files.length).toBeGreaterThan(300)
  expect(filesWith(/leased_until/)).toEqual(['src/jobs/lease.ts'])
})

test('one module repeats work by a timer; others may watch over a process or a connection (issue 9, 5)', () => {
  expect(filesWith(/\bsetInterval\(/).sort()).toEqual([
    // It reports state and signs of life to the processes that search here.
    'src/documents/shared-index/open-shared-index.ts',
    'src/extraction/process/extractor-pool.ts',
    'src/http/close-gently.ts',
    'src/kernel/loop.ts',
    // It ends a silent connection.
    'src/processes/socket-client.ts',
    'src/start/stop-request.ts',
  ])
})
