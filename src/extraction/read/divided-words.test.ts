import { expect, test } from 'vitest'
import { joinLines } from './divided-words.ts'

test.each([
  ['First para-', 'graph goes', 'First paragraph goes'],
  ['a soft\u00ad', 'hyphen', 'a softhyphen'],
  ['an en\u2010', 'tire word', 'an entire word'],
  ['of a state-of-the-', 'art printer', 'of a state-of-the-art printer'],
  ['of a state-', 'of-the-art printer', 'of a state-of-the-art printer'],
  ['Mr Jean-', 'Paul Sartre', 'Mr Jean-Paul Sartre'],
  ['during COVID-', '19 there', 'during COVID-19 there'],
  ['pages 5-', '10 say', 'pages 5-10 say'],
  ['im Haupt-', 'und Nebensatz', 'im Haupt- und Nebensatz'],
  ['pre-', 'and postwar', 'pre- and postwar'],
  ['кто-', 'нибудь знает', 'кто-нибудь знает'],
  ['что-', 'то другое', 'что-то другое'],
  ['при-', 'мер', 'пример'],
  ['from here -', 'to there', 'from here - to there'],
  ['a 5-', 'year plan', 'a 5-year plan'],
  ['a 5-', 'or 10-year plan', 'a 5- or 10-year plan'],
  ['a line', 'and another', 'a line and another'],
])('%s / %s', (text, next, joined) => {
  expect(joinLines(text, next)).toBe(joined)
})
