import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })

/** One import of a value would load undici at each start (node-http.ts). Types are erased. */
test('no module imports a value of node:http', () => {
  const imports = /^(import (?!type\b).*|\} )from 'node:http'|\bimport\('node:http'\)/m
  const offending = files.filter((file) => imports.test(readFileSync(file, 'utf8')))
  expect(files.length).toBeGreaterThan(300)
  expect(offending).toEqual([])
})
