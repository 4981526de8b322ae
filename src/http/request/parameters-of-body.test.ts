import { expect, test } from 'vitest'
import { parametersOfBody } from './parameters-of-body.ts'

const read = (body: unknown, inUrl: Record<string, string> = {}): unknown => {
  const result = parametersOfBody(body, new Map(Object.entries(inUrl)))
  return result.ok ? Object.fromEntries(result.value) : result.error
}

test('members become texts as they would stand in a URL', () => {
  expect(
    read({
      sysparm_query: 'active=true^subjectLIKEпринтер & +',
      sysparm_limit: 40,
      sysparm_no_count: true,
      sysparm_fields: ['number', 'subject'],
      sysparm_view: null,
    }),
  ).toEqual({
    sysparm_query: 'active=true^subjectLIKEпринтер & +',
    sysparm_limit: '40',
    sysparm_no_count: 'true',
    sysparm_fields: 'number,subject',
  })
})

test('a body may add to what stands in the URL', () => {
  expect(read({ sysparm_limit: 1 }, { sysparm_page: '2' })).toEqual({ sysparm_limit: '1', sysparm_page: '2' })
  expect(read(undefined, { sysparm_page: '2' })).toEqual({ sysparm_page: '2' })
})

test.each([
  [[], { kind: 'bad-body', expected: 'a JSON object of parameters', found: 'a list' }],
  ['x', { kind: 'bad-body', expected: 'a JSON object of parameters', found: 'a string' }],
  [null, { kind: 'bad-body', expected: 'a JSON object of parameters', found: 'null' }],
  [
    { sysparm_query: { a: 1 } },
    {
      kind: 'bad-parameter',
      parameter: 'sysparm_query',
      found: 'an object',
      expected: 'a string, a number, a boolean or a list of these',
    },
  ],
  [
    { sysparm_fields: [['a']] },
    {
      kind: 'bad-parameter',
      parameter: 'sysparm_fields',
      found: 'a list',
      expected: 'a string, a number, a boolean or a list of these',
    },
  ],
])('%j is rejected', (body, problem) => {
  expect(read(body)).toEqual(problem)
})

test('a parameter in the URL and in the body is rejected', () => {
  expect(read({ sysparm_limit: 1 }, { sysparm_limit: '2' })).toEqual({
    kind: 'bad-parameter',
    parameter: 'sysparm_limit',
    found: 'it in both',
    expected: 'given in the URL or in the body',
  })
})
