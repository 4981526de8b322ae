import { expect, test } from 'vitest'
import { accepts, prefersJson } from './acceptable.ts'

test.each([
  [undefined, true],
  ['', true],
  ['*/*', true],
  ['application/json', true],
  ['application/json, text/plain, */*', true],
  ['application/*', true],
  ['text/html, application/xhtml+xml, */*;q=0.8', true],
  ['Application/JSON', true],
  ['text/html', false],
  ['application/xml', false],
  ['application/json;q=0', false],
  ['application/json;q=0, */*', false],
  ['text/*, */*;q=0.0', false],
  ['application/json;q=0.1', true],
])('Accept: %s allows JSON: %s', (header, allowed) => {
  expect(accepts(header, 'application/json')).toBe(allowed)
})

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', true],
  ['application/json, */*', true],
  ['application/json;q=0', false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ['text/html, application/json', false],
  ['application/json, text/html', true],
])('Accept: %s prefers JSON: %s', (header, preferred) => {
  expect(prefersJson(header)).toBe(preferred)
})
