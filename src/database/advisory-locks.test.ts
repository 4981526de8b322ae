import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LOCK_SPACES, LOCKS } from './advisory-locks.ts'

test('each lock has a number of its own', () => {
  const numbers = [...Object.values(LOCKS), ...Object.values(LOCK_SPACES)]
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('numbers of locks are written in one file', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.includes('advisory-locks'))
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => /\b7_?236_?[45]\d\d|\b723_?64\d\b/.test(readFileSync(file, 'utf8')))).toEqual([])
})
