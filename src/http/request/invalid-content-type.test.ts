import { expect, test } from 'vitest'
import { invalidContentType } from './invalid-content-type.ts'

const sent = (contentType: string | undefined, method = 'POST') =>
  invalidContentType({ method, headers: contentType === undefined ? {} : { 'content-type': contentType } })

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'Application/Vnd.API+JSON ;x=1',
  'text/xml',
  'multipart/form-data; boundary="a/b"',
  'a/b;',
])('%s is a type', (type) => {
  expect(sent(type)).toBeNull()
})

test.each(['', 'json', 'a/', '/b', 'a/b/c', 'a b/c', 'a/b c', ';a/b', 'undefined', 'a/b,c/d', 'тип/json'])(
  '"%s" is none, whatever method has a body',
  (type) => {
    const problem = { kind: 'unsupported-media-type', found: type, expected: 'Content-Type: application/json' }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(sent(type, method)).toEqual(problem)
  },
)

test('no type is fine, and reads have none that counts', () => {
  expect(sent(undefined)).toBeNull()
  for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(sent('json', method)).toBeNull()
})
