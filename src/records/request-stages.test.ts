import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('one chain of stages makes a statement of a request (issue 9, step 2)', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  expect(files.length).toBeGreaterThan(300)
  const callers = files.filter((file) =>
    /(?<!function )\b(authorizeRequest|prepareRequest|renderResult)\(/.test(readFileSync(file, 'utf8')),
  )
  expect(callers).toEqual(['src/records/request-stages.ts'])
})
