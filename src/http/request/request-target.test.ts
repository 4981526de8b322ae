import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeTarget, queryOf } from './request-target.ts'

test.each([
  ['/rest/v1/table/task', '/rest/v1/table/task'],
  ['/rest/v1/table/task/', '/rest/v1/table/task'],
  ['//rest/v1//table/task///', '/rest/v1/table/task'],
  ['/rest/v1/table/task/?a=1//2/', '/rest/v1/table/task?a=1//2/'],
  ['//a?x=//', '/a?x=//'],
  ['/', '/'],
  ['//', '/'],
  ['/?q=1', '/?q=1'],
  ['//?q=1', '/?q=1'],
  ['http://host:80/a//b/?c=//', '/a/b?c=//'],
  ['http://host', '/'],
  ['*', '*'],
  ['/a%2F%2Fb', '/a%2F%2Fb'],
])('%s is routed as %s', (target, tidied) => {
  expect(normalizeTarget(target)).toBe(tidied)
})

test('a tidied target stays as it is, and the query string is never touched', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (path, query) => {
      const target = `/${path.replaceAll('?', '')}?${query}`
      const tidied = normalizeTarget(target)
      expect(normalizeTarget(tidied)).toBe(tidied)
      expect(queryOf(tidied)).toBe(query)
    }),
  )
})
