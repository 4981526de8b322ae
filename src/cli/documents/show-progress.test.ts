import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { barLine, showProgress } from './show-progress.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, columns: 60, written, write: (text: string) => written.push(text) }
}

describe('without a terminal', () => {
  test('a line tells of each tenth, and notes stand between', () => {
    const out = terminal(false)
    const progress = showProgress({ unit: 'documents', total: 25, out })
    for (let done = 0; done < 25; done++) {
      if (done === 4) progress.note('refused  a.png: no')
      progress.step(`file ${done}`)
    }
    progress.end()
    expect(out.written).toEqual([
      '3 of 25 documents\n',
      'refused  a.png: no\n',
      ...[6, 9, 12, 15, 18, 21, 24, 25].map((done) => `${done} of 25 documents\n`),
    ])
  })

  test('no name in a note steers a terminal or makes a line of its own', () => {
    const out = terminal(false)
    showProgress({ unit: 'documents', total: 1, out }).note('refused  a\x1b[2J\nrefused  b\u202e.txt')
    expect(out.written).toEqual(['refused  a [2J refused  b .txt\n'])
  })

  test('of an unknown whole each thousand is told', () => {
    const out = terminal(false)
    const progress = showProgress({ unit: 'documents', total: null, out })
    for (let done = 0; done < 2_500; done++) progress.step('')
    expect(out.written).toEqual(['1000 documents\n', '2000 documents\n'])
  })

  test('work that counts itself is told the same way', () => {
    const out = terminal(false)
    const progress = showProgress({ unit: 'files', total: null, out })
    for (const done of [2, 2, 50, 55, 100, 100]) progress.reach(done, 100)
    expect(out.written).toEqual(['50 of 100 files\n', '100 of 100 files\n'])
  })
})

describe('on a terminal', () => {
  test('the bar is drawn over itself, notes stay above it, and nothing is left at the end', () => {
    const out = terminal(true)
    const progress = showProgress({ unit: 'documents', total: 2, out })
    progress.step('one')
    progress.note('refused  one: no')
    progress.step('two')
    progress.end()
    expect(out.written).toEqual([
      '\r\x1b[K████████████░░░░░░░░░░░░  50 %  1/2 documents  one',
      '\r\x1b[Krefused  one: no\n',
      '\r\x1b[K████████████░░░░░░░░░░░░  50 %  1/2 documents  one',
      '\r\x1b[K████████████████████████ 100 %  2/2 documents  two',
      '\r\x1b[K',
    ])
  })

  test('one that does not know its width is taken for a usual one', () => {
    const out = { ...terminal(true), columns: 0 }
    showProgress({ unit: 'documents', total: 1, out }).step('one')
    expect(out.written).toEqual(['\r\x1b[K████████████████████████ 100 %  1/1 documents  one'])
  })

  test('a line is never longer than the terminal, and no name steers it', () => {
    const state = fc.record({
      done: fc.nat(1_000_000),
      total: fc.option(fc.nat(1_000_000)),
      unit: fc.constant('documents'),
      about: fc.string({ unit: 'grapheme' }),
    })
    fc.assert(
      fc.property(state, fc.integer({ min: 10, max: 200 }), (bar, columns) => {
        const line = barLine(bar, columns)
        expect([...new Intl.Segmenter().segment(line)].length).toBeLessThanOrEqual(columns)
        expect(line).not.toMatch(/[\p{Cc}]/u)
      }),
    )
    expect(barLine({ done: 1, total: 1, unit: 'x', about: '\x1b[31mred\r\n' }, 80)).toMatch(/ {2} \[31mred {2}$/)
    expect(barLine({ done: 3, total: null, unit: 'documents', about: '漢字漢字' }, 20)).toBe('3 documents  漢字漢')
  })
})
