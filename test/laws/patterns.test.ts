import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { coarsePattern, sampleOf } from '../../src/condition/patterns/coarse-pattern.ts'
import { likePattern } from '../../src/condition/patterns/like-pattern.ts'
import { readRegex } from '../../src/condition/patterns/read-regex.ts'
import { readWildcards } from '../../src/condition/patterns/read-wildcards.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { arbitraryRegex } from './arbitrary-regex.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const matches = async (text: string, pattern: string): Promise<boolean | undefined> => {
  const [row] = await fresh.database.rows<{ found: boolean }>(sql`select ${text}::text ~* ${pattern}::text as found`)
  return row?.found
}

test('a regular expression of the subset means in PostgreSQL what it means in JavaScript (issue 10, 4)', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'B', '0', '7', ' ', '\n', '-', ']', '^', '\\', 'я'),
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(arbitraryRegex, text, async (regex, value) => {
      const read = readRegex(regex)
      if (!read.ok) throw new Error(`${regex}: ${read.error}`)
      const expected = new RegExp(`^(?:${regex})$`, 'isu').test(value)
      expect({ regex, value, found: await matches(value, read.value) }).toEqual({ regex, value, found: expected })
    }),
    { numRuns: 300 },
  )
}, 120_000)

test('whatever text is given as a pattern, it is rejected with a sentence or PostgreSQL takes it (issue 10, 4)', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '(',
      ')',
      '(?:',
      '(?=',
      '[',
      '[^',
      ']',
      '{',
      '}',
      '{2,',
      '{99}',
      '*',
      '+',
      '?',
      '|',
      '^',
      '$',
      '\\',
      '\\d',
      '\\b',
      '\\1',
      'a-z',
      '-',
      '.',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const any = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('').replaceAll('\0', '').toWellFormed())
  await fc.assert(
    fc.asyncProperty(any, async (text) => {
      const regex = readRegex(text)
      if (regex.ok) expect(typeof (await matches('some text', regex.value))).toBe('boolean')
      else expect(regex.error).toMatch(/[.]$/)
      const wildcards = readWildcards(text)
      if (!wildcards.ok) return
      const [row] = await fresh.database.rows<{ found: boolean }>(
        sql`select docket_system.fold('some text') like docket_system.fold(${wildcards.value}::text) as found`,
      )
      expect(typeof row?.found).toBe('boolean')
    }),
    { numRuns: 500 },
  )
}, 120_000)

test('patterns that are hard for other engines end in time on a megabyte of text (issue 10, 4)', async () => {
  const hard = ['(a*)*b', '(a|aa)+c', '(a+)+$', '.*a.{99}b', '(.*a){5}(.*b){5}', '(a?){60}a{60}', '([ab]*a[ab]{40})+c']
  for (const regex of hard) {
    const read = readRegex(regex)
    if (!read.ok) throw new Error(`${regex}: ${read.error}`)
    // With the time limit of statements. Without it, a pattern that takes too long would never fail here.
    const found = await fresh.database.rows<{ found: boolean }>(sql`
      with s as (select set_config('statement_timeout', '15000', false))
      select repeat('ab', 500000) ~* ${read.value}::text as found from s`)
    expect(found).toHaveLength(1)
  }
}, 120_000)

test('every text that matches a pattern matches the coarse one, whatever the sample says (issue 12, C)', async () => {
  const unit = fc.constantFrom('a', 'b', 'B', '1', ' ', '%', '_', '\\', 'я', 'Я', 'İ', 'ß', '😀')
  const text = fc.string({ unit, maxLength: 10 })
  const pattern = fc.oneof(
    fc.tuple(text, fc.constantFrom('inside', 'start', 'end')).map(([given, position]) => likePattern(given, position)),
    fc.array(fc.oneof(text, fc.constantFrom('*', '?', '\\*')), { maxLength: 6 }).map((pieces) => {
      const read = readWildcards(pieces.join(''))
      return read.ok ? read.value : '%'
    }),
  )
  const sample = fc.array(fc.record({ text, share: fc.constantFrom(0.01, 0.1, 0.3) }), { maxLength: 8 })
  let coarser = 0
  await fc.assert(
    fc.asyncProperty(pattern, sample, text, fc.array(text, { maxLength: 4 }), async (given, parts, filling, others) => {
      // Samples of its own parts make parts of the pattern frequent.
      const near = (given.match(/[^%_\\]{3,}/gu) ?? []).map((each) => ({ text: each.toLowerCase(), share: 0.2 }))
      const coarse = coarsePattern(given, sampleOf([...near, ...parts]))
      if (coarse !== given) coarser += 1
      const filled = given.replaceAll(
        /\\(.)|%|_/gsu,
        (part, escaped?: string) => escaped ?? (part === '%' ? filling : ([...filling][0] ?? 'a')),
      )
      const values = [filled, filled.toUpperCase(), ...others]
      const rows = await fresh.database.rows<{ value: string }>(sql`
        select v as value from unnest(${values}::text[]) as v
        where docket_system.fold(v) like docket_system.fold(${given}::text)
          and (docket_system.fold(v) like docket_system.fold(${coarse}::text)) is not true`)
      expect({ given, coarse, lost: rows }).toEqual({ given, coarse, lost: [] })
    }),
    { numRuns: 400 },
  )
  expect(coarser).toBeGreaterThan(20)
}, 120_000)
