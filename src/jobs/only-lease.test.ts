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
    'src/extraction/process/extractor-pool.ts',
    'src/http/close-gently.ts',
    'src/kernel/loop.ts',
    'src/start/stop-request.ts',
  ])
})
