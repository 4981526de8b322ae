import { helper, type Operator, type QueryBuilder, q } from 'docket-client'
import { parseEncodedQuery } from 'docket-client/parse'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OPERATORS } from '../../src/condition/operators.ts'
import { arbitraryPath, arbitraryValue } from './arbitrary-query.ts'

/** The tree that the server reads from the text of a query. */
function readBack(query: QueryBuilder): unknown {
  const read = parseEncodedQuery(String(query))
  return read.ok ? withoutPositions(read.value) : read.error
}

const withoutPositions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, each: unknown) => (key === 'position' ? 0 : each))

const plain = (query: QueryBuilder): unknown => withoutPositions(query.tree)

const arbitraryField = arbitraryPath.map((path) => path.join('.'))
const arbitraryTerm = fc
  .record({
    field: arbitraryField,
    operator: fc.constantFrom<Operator[]>(...OPERATORS),
    value: fc.oneof(arbitraryValue, fc.array(arbitraryValue, { minLength: 1, maxLength: 4 })),
  })
  .filter(({ operator, value }) => operator !== 'ARE' || [value].flat().join('') !== '')
  // The other field of a comparison is a name, and no data.
  .map((term) => (/SAMEAS|_FIELD/.test(term.operator) ? { ...term, value: 'other.field' } : term))

const arbitraryBuilder: fc.Arbitrary<QueryBuilder> = fc
  .record({
    terms: fc.array(arbitraryTerm, { minLength: 1, maxLength: 4 }),
    alternatives: fc.array(arbitraryTerm, { maxLength: 3 }),
    group: fc.option(arbitraryTerm),
    groups: fc.array(fc.array(arbitraryTerm, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
    order: fc.option(arbitraryField),
  })
  .map(({ terms, alternatives, group, groups, order }) => {
    const add = (query: QueryBuilder, { field, operator, value }: (typeof terms)[number]): QueryBuilder =>
      query.where(field, operator, value)
    const all = terms.reduce(add, q())
    const either = all.any(...alternatives.map((each) => add(q(), each)))
    const orGroups = groups.map((each) => q().any(...each.map((term) => add(q(), term))))
    const both = either.all(...orGroups)
    const grouped = group === null ? both : both.orGroup(add(q(), group))
    return order === null ? grouped : grouped.orderByDesc(order)
  })

describe('queries of docket-client', () => {
  test('the server reads exactly the tree that was built, whatever the values are', () => {
    fc.assert(
      fc.property(arbitraryBuilder, (query) => {
        expect(readBack(query)).toEqual(plain(query))
      }),
      { numRuns: 2_000 },
    )
  })

  test('a value is data: it is compared as it is, and never computed', () => {
    fc.assert(
      fc.property(arbitraryValue, (value) => {
        const text = `javascript:${value}`
        expect(plain(q().where('subject', '=', text))).toEqual({
          where: {
            kind: 'comparison',
            path: ['subject'],
            operator: '=',
            value: { kind: 'literal', text },
            position: 0,
          },
          orders: [],
        })
      }),
    )
  })

  test.each([
    [q().where('active', '=', true).and('priority', '<', 3).orderBy('number'), 'active=true^priority<3^ORDERBYnumber'],
    [q().where('opened_at', '>', new Date(Date.UTC(2026, 0, 31, 12))), 'opened_at>2026-01-31 12:00:00'],
    [q().where('caller', '=', helper('gs.getUserID()')), 'caller=javascript:gs.getUserID()'],
    [q().where('subject', '=', 'javascript:gs.getUserID()'), "subject=^'javascript:gs.getUserID()"],
    [q().where('subject', '=', null), 'subjectISEMPTY'],
    [q().where('subject', '!=', ''), 'subjectISNOTEMPTY'],
    [q().where('state', 'IN', ['1', 2]), 'stateIN1,2'],
    [q().where('subject', 'IN', ['a,b', 'c']), 'subjectINa,b@c'],
    [q().where('subject', 'IN', ['a,b']), 'subject=a,b'],
    [q().where('subject', 'IN', ['a@b', 'c']), 'subject=a@b^ORsubject=c'],
    [q().where('subject', 'NOT IN', ['a@b', 'c']), 'subject!=a@b^subject!=c'],
    [q().where('priority', 'BETWEEN', [1, 3]), 'priorityBETWEEN1@3'],
    [q().where('due_date', 'GT_FIELD', 'opened_at'), 'due_dateGT_FIELDopened_at'],
    [
      q()
        .where('a', '=', 1)
        .any(q().where('b', '=', 2), q().where('c', '=', 3)),
      'a=1^b=2^ORc=3',
    ],
    [
      q()
        .where('a', '=', 1)
        .any(q().where('b', '=', 2), q()),
      'a=1',
    ],
    [
      q()
        .where('a', '=', 1)
        .all(
          q().any(q().where('b', '=', 2), q().where('c', '=', 3)),
          q()
            .where('d', '=', 4)
            .orGroup(q().where('e', '=', 5)),
          q(),
        ),
      'a=1^b=2^ORc=3^d=4^ORe=5',
    ],
    [
      q()
        .where('a', '=', 1)
        .and('b', '=', 2)
        .orGroup(q().where('c', '=', 3))
        .orderByDesc('d'),
      'a=1^b=2^NQc=3^ORDERBYDESCd',
    ],
    [q().where('a', '=', 1).orGroup(q()), ''],
  ])('%s', (query, text) => {
    expect(String(query)).toBe(text)
  })
})
