import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Where names of parameters may occur: declarations of operations and their parsers. */
const PLACES = [
  'src/endpoints/',
  'src/records/parse/',
  // Names a part of a record request in an error.
  'src/http/response/parameter-name.ts',
]

test('programs inside Docket send no text of a query string (issue 9, step 2)', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  expect(files.length).toBeGreaterThan(300)
  const naming = files.filter((file) => /'sysparm_|`sysparm_\w*\$\{/.test(readFileSync(file, 'utf8')))
  expect(naming.length).toBeGreaterThan(5)
  expect(naming.filter((file) => !PLACES.some((place) => file.startsWith(place)))).toEqual([])
})

test('nobody parses a response of our own (issue 9, step 2)', () => {
  const callers = globSync('src/{bulk,follow,attachments,webhooks,records,http,endpoints}/**/*.ts', {
    exclude: (name) => name.endsWith('.test.ts'),
  })
  expect(callers.length).toBeGreaterThan(200)
  expect(
    callers.filter((file) => /(JSON\.parse|parseExactJson)\(\w+(\.value)?\.body\)/.test(readFileSync(file, 'utf8'))),
  ).toEqual(
    // It parses its own list of written rows.
    ['src/bulk/written-rows.ts'],
  )
})
