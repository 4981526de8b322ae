import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Where names of parameters belong: what comes over HTTP, and what is said of it in an error or a link. */
const PLACES = [
  'src/http/',
  'src/records/parse/',
  // The schemas of the parameters.
  'src/contract/',
  // A client of the server.
  'src/cli/',
  // Errors and links that name a parameter of the caller's.
  'src/records/authorize/',
  'src/records/cursor.ts',
  'src/records/plan/plan-stats.ts',
  'src/records/render/page-headers.ts',
  'src/records/run/explain-failure.ts',
]

test('programs inside Docket send no text of a query string (issue 9, step 2)', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  expect(files.length).toBeGreaterThan(300)
  const naming = files.filter((file) => /'sysparm_|`sysparm_\w*\$\{/.test(readFileSync(file, 'utf8')))
  expect(naming.length).toBeGreaterThan(5)
  expect(naming.filter((file) => !PLACES.some((place) => file.startsWith(place)))).toEqual([])
})

test('callers of the record service read rows, and no text of a response (issue 9, step 2)', () => {
  const callers = globSync('src/{bulk,follow,attachments,webhooks}/**/*.ts', {
    exclude: (name) => name.endsWith('.test.ts'),
  })
  expect(callers.length).toBeGreaterThan(20)
  expect(
    callers.filter((file) => /(JSON\.parse|parseExactJson)\(\w+(\.value)?\.body\)/.test(readFileSync(file, 'utf8'))),
  ).toEqual(
    // The rows of an import that were written before, as this module kept them.
    ['src/bulk/written-rows.ts'],
  )
})
