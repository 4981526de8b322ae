import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryQuery, arbitraryValue, comparisonsOf, withoutPositions } from '../../test/laws/arbitrary-query.ts'
import { quantifierOf, shapeOfQuery } from './comparison-shape.ts'
import type { ConditionTree, EncodedQuery, RowsLink } from './condition-tree.ts'
import { operandOf } from './operator-spellings.ts'
import { parseEncodedQuery } from './parse-encoded-query.ts'
import { NO_VALUE, typedValue } from './typed-value.ts'

function queryOf(text: string): EncodedQuery {
  const result = parseEncodedQuery(text)
  if (!result.ok) throw new Error(`${text}: ${result.error.detail}`)
  return result.value
}

function keyOf(text: string): string {
  return shapeOfQuery(queryOf(text)).key
}

describe('queries of one shape', () => {
  const same: [one: string, other: string][] = [
    ['state=1^active=true', 'state=2^active=false'],
    ['(state=1)^active=true', 'state=2^active=false'],
    ['stateIN1,2', 'stateIN1,2,3,4@5'],
    ['stateNOT IN1', 'stateNOTIN2'],
    ['opened_atONToday', 'opened_atONLast 7 days@javascript:gs.daysAgoStart(7)@javascript:gs.daysAgoEnd(0)'],
    ['opened_at>javascript:gs.daysAgo(1)', 'opened_at>javascript:gs.beginningOfThisWeek()'],
    ['opened_atRELATIVEGE@hour@ago@1', 'opened_atRELATIVEGE@month@ahead@3'],
    ['opened_atDATEPARTmonth@3', "opened_atDATEPARTMay@javascript:gs.datePart('month','may','EE')"],
    ['countBETWEEN1@2', 'countBETWEEN30@40'],
    ['ORDERBYa^b=1', 'b=2^ORDERBYa'],
    ['123TEXTQUERY321=printer', 'AREmouse'],
    ['classINSTANCEOFtask', 'classINSTANCEOFuser'],
  ]
  test.each(same)('%s · %s', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other))
  })
})

describe('queries of two shapes', () => {
  const different: [one: string, other: string][] = [
    ['state=1', 'state!=1'],
    ['state=1', 'stage=1'],
    ['state=1', 'state='],
    ['state=1', 'state=new'],
    ['state!=1', 'state!=new'],
    ['stateIN1,2', 'stateIN1,new'],
    ['stateNOT IN1', 'stateNOT INnew'],
    ['a.b=1', 'ab=1'],
    ['a=1^b=2', 'a=1^ORb=2'],
    ['a=1^b=2^ORc=3', 'a=1^b=2^NQc=3'],
    ['a=1', 'a=1^ORDERBYa'],
    ['ORDERBYa', 'ORDERBYDESCa'],
    ['ORDERBYa^ORDERBYb', 'ORDERBYb^ORDERBYa'],
    ['aSAMEASb', 'aSAMEASc'],
    ['aGT_FIELDb.c', 'aGT_FIELDb'],
    ['userDYNAMICme', 'userDYNAMICmygroups'],
    ['opened_atDATEPARTmonth@3', 'opened_atDATEPARTday@3'],
    ['opened_atDATEPARTmonth@3', 'opened_atDATEPARTmonth@GE@3'],
    ['opened_atDATEPARTmonth@3', 'opened_atDATEPARTmonth@13'],
    ['countBETWEEN1@2', 'countBETWEEN1'],
    ['countBETWEEN1@2', 'countBETWEEN1@2@3'],
    ['dueBETWEEN2026-01-01@2026-02-01', 'dueBETWEENjavascript:gs.daysAgo(1)@2026-02-01'],
    ['group=5', 'group=javascript:gs.getUser().getMyGroups()'],
    ['user=javascript:gs.getUserID()', 'user=javascript:gs.getUserName()'],
    ['user=javascript:gs.getUserID()', 'user=javascript:gs.exit()'],
    ['AREx', 'aAREx'],
    ['JOINa.b=c.d!', 'JOINa.b=c.e!'],
    ['JOINa.b=c.d!', 'JOINa.b=c.d!x=1'],
    ['JOINa.b=c.d!x=1', '(JOINa.b=c.d!)^x=1'],
    ['RLQUERYa.b,>=1^ENDRLQUERY', 'RLQUERYa.b,=0^ENDRLQUERY'],
    ['RLQUERYa.b,>=2^ENDRLQUERY', 'RLQUERYa.b,>2^ENDRLQUERY'],
    ['RLQUERYa.b,>=1^ENDRLQUERY', 'RLQUERYa.b,>=2^ENDRLQUERY'],
    ['RLQUERYa.b,>2^ENDRLQUERY^x=1', 'RLQUERYa.b,>2^x=1^ENDRLQUERY'],
  ]
  test.each(different)('%s · %s', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other))
  })
})

describe('laws', () => {
  test('the tests come in reading order', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        expect(shapeOfQuery(query).comparisons).toEqual(comparisonsOf(query.where))
      }),
    )
  })

  test('other values leave the shape as it is', () => {
    const plain = arbitraryValue.map((value) => `x${value}`)
    fc.assert(
      fc.property(arbitraryQuery, fc.infiniteStream(plain), fc.infiniteStream(plain), (query, one, other) => {
        expect(shapeOfQuery(withValues(query, one)).key).toBe(shapeOfQuery(withValues(query, other)).key)
      }),
    )
  })

  test('two queries have one key exactly when they are equal without their values', () => {
    // A small vocabulary, so that equal skeletons are frequent among random pairs.
    const part = fc.constantFrom(
      'a=1',
      'a=2',
      'b=1',
      'aISEMPTY',
      'aSAMEASb',
      'aSAMEASc',
      'aDYNAMICme',
      'aDYNAMICx;',
      'a>1',
    )
    const joint = fc.constantFrom('^', '^OR', '^NQ')
    const order = fc.constantFrom('', '^ORDERBYa', '^ORDERBYDESCa', '^ORDERBYb')
    const query = fc
      .tuple(part, fc.array(fc.tuple(joint, fc.boolean(), part, part), { maxLength: 2 }), order)
      .map(([first, more, last]) => {
        const rest = more.map(([by, inBrackets, one, two]) => by + (inBrackets ? `(${one}^${two})` : one))
        return queryOf([first, ...rest, last].join(''))
      })
    fc.assert(
      fc.property(query, query, (one, other) => {
        const areAlike = JSON.stringify(skeletonOf(one)) === JSON.stringify(skeletonOf(other))
        expect(shapeOfQuery(one).key === shapeOfQuery(other).key).toBe(areAlike)
      }),
      { numRuns: 5_000 },
    )
  })
})

/** The same query with other values, if the value is only a parameter. */
function withValues(query: EncodedQuery, values: Iterable<string>): EncodedQuery {
  const next = values[Symbol.iterator]()
  return { ...query, where: query.where && treeWith(query.where, next) }
}

function treeWith(tree: ConditionTree, next: Iterator<string>): ConditionTree {
  if (tree.kind === 'rows') return { ...tree, where: tree.where && treeWith(tree.where, next) }
  if (tree.kind !== 'comparison') return { kind: tree.kind, of: tree.of.map((member) => treeWith(member, next)) }
  const isOnlyParameter = operandOf(tree.operator) === 'value' && !/DYNAMIC$|^DATEPART$|^BETWEEN$/.test(tree.operator)
  return isOnlyParameter ? { ...tree, value: typedValue(tree.operator, next.next().value, false) } : tree
}

function skeletonOf(query: EncodedQuery): EncodedQuery {
  const { where, orders } = withoutPositions(query)
  return { where: where && treeWithoutValues(where), orders }
}

function treeWithoutValues(tree: ConditionTree): ConditionTree {
  if (tree.kind === 'rows') {
    const { link, where } = tree
    const shape = link.kind === 'join' ? link : { ...link, comparison: quantifierOf(link), number: 0 }
    return { ...tree, link: shape as RowsLink, where: where && treeWithoutValues(where) }
  }
  if (tree.kind !== 'comparison') return { kind: tree.kind, of: tree.of.map(treeWithoutValues) }
  const isPartOfShape = operandOf(tree.operator) === 'field' || tree.operator.endsWith('DYNAMIC')
  return isPartOfShape ? tree : { ...tree, value: NO_VALUE }
}
