import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('only print-encoded-query.ts doubles carets: nothing else writes encoded queries by hand (issue 8, A4)', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  expect(files.length).toBeGreaterThan(300)
  const writers = files.filter((file) => /\.replace(All)?\(\s*('\^'|"\^"|\/\\\^\/)/.test(readFileSync(file, 'utf8')))
  expect(writers).toEqual(['src/condition/print-encoded-query.ts'])
})

test('only condition/ decides what the text of a value is: nothing else asks for a helper (issue 9, step 1)', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  const asking = files.filter((file) =>
    /\b(isHelper|readHelper)\b|startsWith\(\s*['"`]javascript:/.test(readFileSync(file, 'utf8')),
  )
  expect(asking.length).toBeGreaterThan(2)
  expect(asking.filter((file) => !file.startsWith('src/condition/'))).toEqual([])
})
