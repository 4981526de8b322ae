import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { comparisonsOf } from '../../test/laws/arbitrary-query.ts'
import { rangeOfSpan } from './dates/range-of-on.ts'
import { readDatePart } from './dates/read-date-part.ts'
import { readHelper } from './dates/read-helper.ts'
import { REJECTED_OPERATORS, spellingsOf } from './operator-spellings.ts'
import { OPERATORS } from './operators.ts'
import { parseEncodedQuery } from './parse-encoded-query.ts'
import {
  MAX_BRACKET_LEVELS,
  MAX_CONDITIONS,
  MAX_HOPS,
  MAX_ORDERS,
  MAX_QUERY_UNITS,
  MAX_ROWS_LEVELS,
} from './query-reader.ts'

const page = readFileSync(new URL('../../docs/operators.md', import.meta.url), 'utf8')
const moment = { nowMs: Date.parse('2026-03-11T14:25:36Z'), timeZone: 'Europe/Moscow' }

/** The cells of the first table under a heading, without its header. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const [, after = ''] = page.split(`\n${heading}\n`)
  const [section = ''] = after.split(/\n#+ /)
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

function codeIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

describe('docs/operators.md', () => {
  const rows = tableUnder('## Operators')

  test('lists every operator once, in the order of the code, and no other', () => {
    expect(rows.map(([operator]) => codeIn(operator))).toEqual(OPERATORS.map((operator) => [operator]))
  })

  test('says of each operator its types, its meaning and an example', () => {
    for (const cells of rows) {
      expect(cells).toHaveLength(5)
      expect(cells.filter((cell, index) => cell === '' && index !== 1)).toEqual([])
    }
  })

  test.each(OPERATORS)('gives all spellings of %s, and no other', (operator) => {
    const others = codeIn(rows.find(([cell]) => cell === `\`${operator}\``)?.[1])
    if (operator !== 'ARE') {
      expect([operator, ...others]).toEqual(spellingsOf(operator))
      return
    }
    for (const spelling of others) expect(operatorsIn(`${spelling}words`)).toEqual(['ARE'])
  })

  test.each(OPERATORS)('gives an example of %s that is read as %s', (operator) => {
    const [example = ''] = codeIn(rows.find(([cell]) => cell === `\`${operator}\``)?.[4])
    expect(operatorsIn(example)).toEqual([operator])
    expect(errorInValue(example)).toBeUndefined()
  })

  test('lists every rejected operator with the reason that the code gives', () => {
    const documented = tableUnder('### Rejected operators').map(([operator, reason]) => [codeIn(operator)[0], reason])
    expect(Object.fromEntries(documented)).toEqual(REJECTED_OPERATORS)
  })

  test('gives the limits of the code', () => {
    const documented = tableUnder('### Limits').map(([, value = '']) => Number.parseInt(value, 10))
    expect(documented).toEqual([
      MAX_QUERY_UNITS,
      MAX_BRACKET_LEVELS,
      MAX_CONDITIONS,
      MAX_ORDERS,
      MAX_HOPS,
      MAX_ROWS_LEVELS,
    ])
  })

  test('gives forms of DATEPART that are read', () => {
    const forms = tableUnder('### DATEPART').flatMap(([form]) => codeIn(form))
    expect(forms).not.toEqual([])
    for (const form of forms) expect(readDatePart(form.replace('DATEPART', ''))).toMatchObject({ ok: true })
  })

  test('gives helpers that are read', () => {
    const rowsOfHelpers = tableUnder('## Helpers: values that begin with `javascript:`')
    expect(rowsOfHelpers).not.toEqual([])
    for (const [helper, others] of rowsOfHelpers) {
      const [example = ''] = codeIn(helper)
      const more = codeIn(others).flatMap((code) => {
        if (code.startsWith('gs.')) return [`javascript:${code}`]
        if (/^(beginning|end)Of/.test(code)) return [`javascript:gs.${code}()`]
        return code.endsWith('Ago') ? [`javascript:gs.${code}(1)`] : []
      })
      for (const value of [example, ...more]) expect([value, readHelper(value).ok]).toEqual([value, true])
    }
  })

  test('gives examples of conditions that are read', () => {
    for (const [written] of tableUnder('## Conditions')) {
      for (const text of codeIn(written).filter((code) => !code.startsWith('^'))) {
        expect([text, parseEncodedQuery(text).ok]).toEqual([text, true])
      }
    }
  })
})

function operatorsIn(text: string): readonly string[] {
  const result = parseEncodedQuery(text)
  return result.ok ? comparisonsOf(result.value.where).map(({ operator }) => operator) : [result.error.detail]
}

function errorInValue(text: string): string | undefined {
  const result = parseEncodedQuery(text)
  const [value] = result.ok ? comparisonsOf(result.value.where).map((requested) => requested.value) : []
  if (value === undefined) return 'not read'
  if (value.kind === 'malformed') return value.detail
  const range = value.kind === 'date-span' ? rangeOfSpan(value.span, moment) : undefined
  return range === undefined || range.ok ? undefined : range.error
}
