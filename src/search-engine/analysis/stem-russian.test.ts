import { expect, test } from 'vitest'
import { stemRussian } from './stem-russian.ts'

test('forms of a word that differ by a vowel before the last consonant have one stem (issue 11, 3.6)', () => {
  const forms = [
    ['ошибка', 'ошибок', 'ошибками'],
    ['заявка', 'заявок'],
    ['настройка', 'настроек', 'настройками'],
    ['рынок', 'рынка', 'рынков'],
    ['числа', 'чисел'],
    ['китаец', 'китайцы'],
  ]
  for (const words of forms) expect({ words, stems: new Set(words.map(stemRussian)).size }).toEqual({ words, stems: 1 })
})

test('verbs of one kind have one stem', () => {
  expect(new Set(['использовать', 'использует', 'использовал'].map(stemRussian))).toEqual(
    new Set(['использов', 'использ']),
  )
  expect(stemRussian('установили')).toBe(stemRussian('установить'))
})

test('short words and words of other shapes stay apart', () => {
  expect(new Set(['сон', 'сын', 'лес', 'лис', 'корт', 'карта', 'порт'].map(stemRussian)).size).toBe(7)
})
