import fc from 'fast-check'
import { allOf, anyOf } from '../../src/condition/combine-conditions.ts'
import {
  COUNT_COMPARISONS,
  type ConditionComparison,
  type ConditionTree,
  type EncodedQuery,
  type OrderTerm,
  type RowsLink,
} from '../../src/condition/condition-tree.ts'
import { operandOf } from '../../src/condition/operator-spellings.ts'
import { OPERATORS } from '../../src/condition/operators.ts'
import { MAX_COUNTED_ROWS } from '../../src/condition/query-reader.ts'
import { NO_VALUE, typedValue } from '../../src/condition/typed-value.ts'

/**
 * Random queries in normal form for property tests, with positions 0. Values often contain what breaks parsers: carets, brackets, quotes,
 * percent signs, Cyrillic letters, surrogate pairs, and beginnings of operators and separators.
 */

export const arbitraryName: fc.Arbitrary<string> = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/)
export const arbitraryPath: fc.Arbitrary<string[]> = fc.array(arbitraryName, { minLength: 1, maxLength: 6 })

const AWKWARD_PARTS = [
  ...['^', '^^', '\\', '^\\', '^\\(', '(', ')', '()', ')(', '^OR', '^NQ', '^ORDERBY', 'ORDERBYx', '^a=1'],
  ...[
    '=',
    '!=',
    'STANCEOF',
    'NOT',
    'NOT IN',
    'IN',
    'ARE',
    'ISEMPTY',
    ' ',
    '@',
    ',',
    '.',
    '%',
    '_',
    "'",
    '"',
    '`',
    '$1',
  ],
  ...[
    'javascript:gs.daysAgo(7)',
    "^'",
    'Ёлка',
    'жук',
    'İ',
    'ß',
    '😀',
    '👩‍👩‍👧',
    '\t',
    '\n',
    '--',
    ';',
    '5',
    '-0',
    'null',
    'true',
  ],
]

/** Any text that a query may contain: no lone surrogates, no U+0000. */
export const arbitraryValue: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...AWKWARD_PARTS), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join('').replaceAll('\0', ''))

export const arbitraryComparison: fc.Arbitrary<ConditionComparison> = fc
  .record({
    path: arbitraryPath,
    operator: fc.constantFrom(...OPERATORS),
    value: arbitraryValue,
    other: arbitraryPath,
    ofRecord: fc.boolean(),
    isLiteral: fc.boolean(),
  })
  .map(({ path, operator, value, other, ofRecord, isLiteral }) => {
    const kind = 'comparison' as const
    switch (operandOf(operator)) {
      case 'none':
        return { kind, path, operator, value: NO_VALUE, position: 0 }
      case 'field':
        return { kind, path, operator, value: { kind: 'field', path: other }, position: 0 }
      default: {
        if (operator === 'ARE')
          return {
            kind,
            path: ofRecord ? [] : path,
            operator,
            value: typedValue(operator, value || 'words', false),
            position: 0,
          }
        const needsText = operator === '=' || operator === '!='
        return {
          kind,
          path,
          operator,
          value: typedValue(operator, needsText ? value || '5' : value, isLiteral),
          position: 0,
        }
      }
    }
  })

/** People do not write a depth of 6 alternating `all` and `any`; this and 400 comparisons are within the limits. */
const conditionOver = (leaf: fc.Arbitrary<ConditionTree>, maxDepth: number): fc.Arbitrary<ConditionTree> =>
  fc.letrec<{ tree: ConditionTree }>((tie) => {
    const members = fc
      .tuple(tie('tree'), tie('tree'), fc.array(tie('tree'), { maxLength: 2 }))
      .map(([first, second, more]): [ConditionTree, ...ConditionTree[]] => [first, second, ...more])
    return {
      tree: fc.oneof({ maxDepth, withCrossShrink: true }, leaf, members.map(allOf), members.map(anyOf)),
    }
  }).tree

const arbitraryColumn = fc.record({ table: arbitraryName, column: arbitraryName })
const arbitraryLink: fc.Arbitrary<RowsLink> = fc.oneof(
  fc.record({ kind: fc.constant('join' as const), own: arbitraryColumn, other: arbitraryColumn }),
  fc.record({
    kind: fc.constant('count' as const),
    other: arbitraryColumn,
    comparison: fc.constantFrom(...COUNT_COMPARISONS),
    number: fc.nat(MAX_COUNTED_ROWS),
  }),
)
const rowsOver = (where: fc.Arbitrary<ConditionTree>): fc.Arbitrary<ConditionTree> =>
  fc.record({
    kind: fc.constant('rows' as const),
    link: arbitraryLink,
    where: fc.option(where, { nil: null }),
    position: fc.constant(0),
  })
const leafOver = (leaf: fc.Arbitrary<ConditionTree>): fc.Arbitrary<ConditionTree> =>
  fc.oneof({ weight: 5, arbitrary: arbitraryComparison }, { weight: 1, arbitrary: rowsOver(conditionOver(leaf, 2)) })

export const arbitraryCondition: fc.Arbitrary<ConditionTree> = conditionOver(
  leafOver(leafOver(arbitraryComparison)),
  6,
).filter((tree) => conditionCount(tree) <= 400)

function conditionCount(tree: ConditionTree): number {
  if (tree.kind === 'comparison') return 1
  if (tree.kind === 'rows') return 1 + (tree.where === null ? 0 : conditionCount(tree.where))
  return tree.of.reduce((count, member) => count + conditionCount(member), 0)
}

export const arbitraryOrder: fc.Arbitrary<OrderTerm> = fc.record({
  path: arbitraryPath,
  direction: fc.constantFrom('ascending' as const, 'descending' as const),
  position: fc.constant(0),
})

export const arbitraryQuery: fc.Arbitrary<EncodedQuery> = fc.record({
  where: fc.option(arbitraryCondition, { nil: null }),
  orders: fc.array(arbitraryOrder, { maxLength: 4 }),
})

/** Texts that look like queries: parts of the grammar in any order, so that most have an error deep inside. */
export const arbitraryQueryText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom('^', '^OR', '^NQ', '(', ')', '^(', '^OR(', '^NQ(', 'ORDERBY', '^ORDERBYDESC', '.', 'a', 'state'),
      fc.constantFrom('=', '=5', 'ISEMPTY', 'SAMEASb', 'AREw', '123TEXTQUERY321=w', 'VALCHANGES', '^\\', '^\\)', '^^'),
      fc.constantFrom(
        'JOINt.a=o.b',
        '!',
        'RLQUERYo.t,>=1',
        '^',
        '^ENDRLQUERY',
        '^JOIN',
        '^GROUPBYa',
        'RLQUERY',
        ',m2m',
      ),
      fc.constantFrom(...OPERATORS),
      arbitraryName,
      arbitraryValue,
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''))

/** The query with every position 0, as in random queries. */
export function withoutPositions(query: EncodedQuery): EncodedQuery {
  return {
    where: query.where === null ? null : treeWithoutPositions(query.where),
    orders: query.orders.map((order) => ({ ...order, position: 0 })),
  }
}

export function treeWithoutPositions(tree: ConditionTree): ConditionTree {
  if (tree.kind === 'comparison') return { ...tree, position: 0 }
  if (tree.kind === 'rows')
    return { ...tree, where: tree.where === null ? null : treeWithoutPositions(tree.where), position: 0 }
  return { kind: tree.kind, of: tree.of.map(treeWithoutPositions) }
}

export function comparisonsOf(tree: ConditionTree | null): readonly ConditionComparison[] {
  if (tree === null) return []
  if (tree.kind === 'rows') return comparisonsOf(tree.where)
  return tree.kind === 'comparison' ? [tree] : tree.of.flatMap(comparisonsOf)
}
