import { expect, test } from 'vitest'
import { titleOfText } from './title-of-text.ts'

const body = 'The body of the text is longer than its title.'

test('a first line that stands alone above a longer text is its title', () => {
  expect(titleOfText(`VPN does not connect\n\n${body}`)).toBe('VPN does not connect')
  expect(titleOfText(`\n  Настройка почты  \n \n${body}`)).toBe('Настройка почты')
})

test('anything else has no title', () => {
  expect(titleOfText(body)).toBeNull()
  expect(titleOfText(`A line\nthat goes on\n\n${body}`)).toBeNull()
  expect(titleOfText(`${'long '.repeat(50)}\n\n${body.repeat(9)}`)).toBeNull()
  expect(titleOfText('A heading without a text\n\n')).toBeNull()
  expect(titleOfText('')).toBeNull()
})

test('a long run of spaces is read once', () => {
  expect(titleOfText(`${' '.repeat(300_000)}The pump`)).toBeNull()
  expect(titleOfText(`${' '.repeat(300_000)}Pump\n \nThe pump stands.`)).toBe('Pump')
})
