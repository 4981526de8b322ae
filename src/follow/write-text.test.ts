import { expect, test } from 'vitest'
import { pathsOfTemplate, writeMetadata, writeText } from './write-text.ts'

test('a template names columns in braces', () => {
  expect(pathsOfTemplate('{subject}\n{state}: {description} {subject} {Not}{1x}{caller.company.name}{.a}{b.}')).toEqual(
    ['subject', 'state', 'description', 'caller.company.name'],
  )
})

test('columns become their values; lines of which nothing is left go', () => {
  const record = { subject: 'VPN {state}', state: 'New', description: null }
  expect(writeText('{subject}\n\nState: {state}\nAbout: {description}\n\n\nEnd', record)).toBe(
    'VPN {state}\n\nState: New\n\nEnd',
  )
})

test('markup leaves its text', () => {
  expect(writeText('{a}', { a: '<p>One</p><p>Two <b>three</b></p> 1 < 2' })).toBe('One\nTwo three\n 1 < 2')
})

test('plain text with < and & stays as it is, and entities of markup become characters', () => {
  const plain = 'Map<String, Long> fails at File <module>, mail <anna@example.com>, a <b && c> d, R&D &amp;'
  expect(writeText('{a}', { a: plain })).toBe(plain)
  expect(writeText('{a}', { a: '<p title="1 > 0">R&amp;D: List&lt;String&gt;</p><!-- no --><p>Ende</p>' })).toBe(
    'R&D: List<String>\nEnde',
  )
  expect(writeText('{a}', { a: { value: '<module>' } })).toBe('{"value":"<module>"}')
})

test('metadata holds what is there, the priority as a number', () => {
  expect(
    writeMetadata('task', ['state', 'priority', 'active', 'empty'], {
      sys_id: '1',
      state: '2',
      priority: '3',
      active: true,
      empty: null,
    }),
  ).toEqual({ state: '2', priority: 3, active: true, sys_id: '1', table: 'task' })
})
