import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSearch, stringifySearch } from '../../console/src/address.ts'
import {
  appliedGroup,
  type Group,
  isGroup,
  type MemberPath,
  type Move,
  maxDepth,
  memberAt,
  movedBy,
  movedOut,
  movedTo,
  withMember,
} from '../../console/src/list/condition-group.ts'
import { fieldOperatorsOf } from '../../console/src/list/filter-terms.ts'
import {
  printQuery,
  printTerm,
  queryOfGroup,
  readQuery,
  rebuiltTerm,
  valueTextOf,
} from '../../console/src/list/list-query.ts'
import { isTooLong, type ListState, readListSearch, searchOf, stateOf } from '../../console/src/list/list-state.ts'
import { operandOf } from '../../src/condition/operator-spellings.ts'
import { OPERATORS } from '../../src/condition/operators.ts'
import { parseEncodedQuery } from '../../src/condition/parse-encoded-query.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import {
  arbitraryComparison,
  arbitraryPath,
  arbitraryQuery,
  arbitraryQueryText,
  withoutPositions,
} from './arbitrary-query.ts'

const arbitraryState: fc.Arbitrary<ListState> = fc.record({
  query: fc.oneof(
    arbitraryQueryText,
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a=1+2', 'a=100%', 'a=x&y#z', ' a=1 '),
  ),
  columns: fc.option(
    fc.uniqueArray(
      arbitraryPath.map((path) => path.join('.')),
      { minLength: 1, maxLength: 5 },
    ),
    {
      nil: undefined,
    },
  ),
  group: fc.uniqueArray(
    arbitraryPath.map((path) => path.join('.')),
    { maxLength: 2 },
  ),
  view: fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), { nil: undefined }),
  peek: fc.option(fc.stringMatching(/^\d{1,18}$/), { nil: undefined }),
  filter: fc.option(fc.stringMatching(/^\d{1,18}$/), { nil: undefined }),
})

describe('addresses of lists (issue 13)', () => {
  test('the address of a list leads to the same list, character for character', () => {
    fc.assert(
      fc.property(arbitraryState, (state) => {
        const address = stringifySearch({ ...searchOf(state) })
        expect(stateOf(readListSearch(parseSearch(address)))).toEqual(state)
      }),
    )
  })

  test('an address survives what browsers do to one', () => {
    fc.assert(
      fc.property(arbitraryState, (state) => {
        const address = new URL(`https://desk.example.com/console/t/task${stringifySearch({ ...searchOf(state) })}`)
        expect(stateOf(readListSearch(parseSearch(address.search)))).toEqual(state)
      }),
    )
  })

  test('whatever an address holds, the list of it has an address that leads to the same', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (text) => {
        const state = stateOf(readListSearch(parseSearch(`?${text}`)))
        expect(stateOf(readListSearch(parseSearch(stringifySearch({ ...searchOf(state) }))))).toEqual(state)
      }),
    )
  })

  test('an address of more than 8,000 characters is too long', () => {
    expect(isTooLong({ q: 'a'.repeat(7_997) })).toBe(false)
    expect(isTooLong({ q: 'a'.repeat(7_998) })).toBe(true)
    expect(isTooLong({ q: 'я'.repeat(1_400) })).toBe(true)
  })
})

describe('filters between chips, text and encoded query (issue 13)', () => {
  test('every query that the server accepts goes through the chips unchanged', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        const text = printEncodedQuery(query)
        const read = readQuery(text)
        expect(read.ok && printQuery(read.query)).toBe(text)
      }),
    )
  })

  test('the text mode accepts what the server accepts, and names the same place of a fault', () => {
    fc.assert(
      fc.property(arbitraryQueryText, (text) => {
        const [here, there] = [readQuery(text), parseEncodedQuery(text)]
        if (here.ok || there.ok) expect(here.ok).toBe(there.ok)
        else expect(here.position).toBe(there.error.position)
      }),
    )
  })

  test('a chip that opens as a form and is applied unchanged means the same; any other opens as text', () => {
    let forms = 0
    fc.assert(
      fc.property(arbitraryComparison, (term) => {
        const rebuilt = rebuiltTerm(term)
        if (rebuilt === null) return
        forms += 1
        expect(printTerm(rebuilt)).toBe(printTerm(term))
      }),
    )
    expect(forms).toBeGreaterThan(20)
  })

  test('a chip that compares with another field opens as a form, and is the same condition when it is applied', () => {
    const operators = [...fieldOperatorsOf({ type: 'datetime', choices: [], operators: OPERATORS })]
    expect(operators.toSorted()).toEqual(OPERATORS.filter((each) => operandOf(each) === 'field').toSorted())
    fc.assert(
      fc.property(arbitraryPath, fc.constantFrom(...operators), arbitraryPath, (path, operator, other) => {
        const term = { kind: 'comparison', path, operator, value: { kind: 'field', path: other }, position: 0 } as const
        expect(valueTextOf(term)).toBe(other.join('.'))
        expect(rebuiltTerm(term)).toEqual(term)
        const read = readQuery(printTerm(term))
        if (!read.ok) throw new Error(read.detail)
        expect(read.query.terms.map((each) => withoutPositions({ where: each, orders: [] }).where)).toEqual([term])
      }),
    )
  })

  test('the rows of a group have the conditions of the list, and those of the group', () => {
    const cell = fc.record({
      value: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ minLength: 1 })),
      display_value: fc.constant('x'),
    })
    fc.assert(
      fc.property(arbitraryQuery, arbitraryPath, cell, (query, path, value) => {
        const text = queryOfGroup(printEncodedQuery(query), [path.join('.')], [value])
        const read = parseEncodedQuery(text)
        if (!read.ok) throw new Error(`${text}: ${read.error.detail}`)
        const { where } = withoutPositions(read.value)
        const last = where?.kind === 'all' ? where.of.at(-1) : where
        const expected = value.value === null ? 'ISEMPTY' : '='
        expect(last).toMatchObject({ kind: 'comparison', path, operator: expected })
      }),
    )
  })

  test('a group of a text that looks like a helper has the records with this text', () => {
    const text = 'javascript:gs.getUserName()'
    const printed = queryOfGroup('active=true', ['subject'], [{ value: text, display_value: text }])
    expect(printed).toBe(`active=true^subject=^'${text}`)
  })
})

describe('groups of conditions (issue 13)', () => {
  const group: fc.Arbitrary<Group> = fc
    .tuple(fc.constantFrom('all' as const, 'any' as const), fc.array(arbitraryQuery, { maxLength: 4 }))
    .map(([kind, queries]) => ({ kind, of: queries.flatMap(({ where }) => where ?? []) }))
  const pathsOf = (from: Group, path: MemberPath = []): readonly MemberPath[] =>
    from.of.flatMap((member, at) => [[...path, at], ...(isGroup(member) ? pathsOf(member, [...path, at]) : [])])
  const depthOf = (from: Group): number =>
    1 + Math.max(0, ...from.of.map((member) => (isGroup(member) ? depthOf(member) : 0)))
  /** Every condition that is no group, as text. */
  const leaves = (from: Group): readonly string[] =>
    from.of.flatMap((member) => (isGroup(member) ? leaves(member) : [printTerm(member)]))

  test('a group that is opened and applied unchanged is the same query', () => {
    let groups = 0
    fc.assert(
      fc.property(arbitraryQuery, ({ where }) => {
        if (!isGroup(where)) return
        groups += 1
        expect(printTerm(appliedGroup(where) ?? where)).toBe(printTerm(where))
      }),
    )
    expect(groups).toBeGreaterThan(10)
  })

  test('what is applied is accepted by the server and has all conditions of the group, in their order', () => {
    fc.assert(
      fc.property(group, (draft) => {
        const applied = appliedGroup(draft)
        if (applied !== null) expect(parseEncodedQuery(printTerm(applied)).ok).toBe(true)
        expect(applied === null ? [] : leaves({ kind: 'all', of: [applied] })).toEqual(leaves(draft))
      }),
    )
  })

  test('a member that is moved out is one group further out, and no condition is lost', () => {
    fc.assert(
      fc.property(group, fc.nat(), (draft, choice) => {
        const inner = pathsOf(draft).filter((path) => path.length > 1)
        const path = inner[choice % Math.max(1, inner.length)]
        if (path === undefined) return
        const moved = movedOut(draft, path)
        expect(memberAt(moved, [...path.slice(0, -2), (path.at(-2) ?? 0) + 1])).toBe(memberAt(draft, path))
        expect([...leaves(moved)].sort()).toEqual([...leaves(draft)].sort())
      }),
    )
  })

  test('a member that is moved up and down again is where it was, and no condition is lost (issue 13)', () => {
    let moves = 0
    fc.assert(
      fc.property(group, fc.nat(), fc.constantFrom(-1, 1), (draft, choice, step) => {
        const paths = pathsOf(draft)
        const from = paths[choice % Math.max(1, paths.length)]
        const moved = from === undefined ? null : movedBy(draft, from, step)
        // A group that is deeper than users make leaves its place for good.
        if (from === undefined || moved === null || depthOf(draft) > maxDepth) return
        moves += 1
        expect(memberAt(moved.group, moved.path)).toBe(memberAt(draft, from))
        expect(moved.path.join()).not.toBe(from.join())
        expect([...leaves(moved.group)].sort()).toEqual([...leaves(draft)].sort())
        expect(movedBy(moved.group, moved.path, step === 1 ? -1 : 1)).toEqual({ group: draft, path: from })
      }),
    )
    expect(moves).toBeGreaterThan(10)
  })

  test('arrow keys lead to every place that a pointer can reach (issue 13)', () => {
    fc.assert(
      fc.property(group, fc.nat(), fc.nat(), (draft, choice, other) => {
        const paths = pathsOf(draft)
        const from = paths[choice % Math.max(1, paths.length)]
        const to = paths[other % Math.max(1, paths.length)]
        const dropped = from === undefined || to === undefined ? null : movedTo(draft, from, to)
        if (from === undefined || dropped === null || depthOf(draft) > maxDepth) return
        const reached = (step: 1 | -1): readonly Move[] => {
          const found: Move[] = []
          for (let at: Move | null = { group: draft, path: from }; at !== null; at = movedBy(at.group, at.path, step))
            found.push(at)
          return found
        }
        expect([...reached(1), ...reached(-1)]).toContainEqual(dropped)
      }),
    )
  })

  test('a member that is replaced or removed leaves all others', () => {
    fc.assert(
      fc.property(group, fc.nat(), arbitraryComparison, (draft, choice, fresh) => {
        const paths = pathsOf(draft)
        const path = paths[choice % Math.max(1, paths.length)]
        if (path === undefined) return
        const old = memberAt(draft, path)
        const replaced = withMember(draft, path, fresh)
        expect(memberAt(replaced, path)).toBe(fresh)
        if (old !== undefined) expect(withMember(replaced, path, old)).toEqual(draft)
        const size = old !== undefined && isGroup(old) ? leaves(old).length : 1
        expect(leaves(withMember(draft, path, null))).toHaveLength(leaves(draft).length - size)
      }),
    )
  })
})
