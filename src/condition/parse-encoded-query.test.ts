import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryQueryText, comparisonsOf, withoutPositions } from '../../test/laws/arbitrary-query.ts'
import type { ConditionTree, ConditionValue, EncodedQuery, RowsLink } from './condition-tree.ts'
import { REJECTED_OPERATORS, spellingsOf } from './operator-spellings.ts'
import { OPERATORS, type Operator } from './operators.ts'
import { parseCountingSteps, parseEncodedQuery } from './parse-encoded-query.ts'
import { textOfValue } from './print-encoded-query.ts'
import { MAX_BRACKET_LEVELS, MAX_CONDITIONS, MAX_ORDERS, MAX_QUERY_UNITS } from './query-reader.ts'

/** A tree as one line, `and(a = "1", or(b ISEMPTY, c LIKE "x"))`, so that a table of examples is readable. */
function sketch(tree: ConditionTree | null): string {
  if (tree === null) return 'everything'
  switch (tree.kind) {
    case 'all':
      return `and(${tree.of.map(sketch).join(', ')})`
    case 'any':
      return `or(${tree.of.map(sketch).join(', ')})`
    case 'rows':
      return `${sketchLink(tree.link)} {${sketch(tree.where)}}`
    case 'comparison':
      return `${tree.path.join('.')} ${tree.operator}${sketchValue(tree.value)}`.trimStart()
  }
}

function sketchLink(link: RowsLink): string {
  const other = `${link.other.table}.${link.other.column}`
  return link.kind === 'join'
    ? `${link.own.table}.${link.own.column} in ${other}`
    : `${other} ${link.comparison} ${link.number}`
}

function sketchValue(value: ConditionValue): string {
  const text = textOfValue(value)
  return text === '' ? '' : ` "${text}"`
}

function sketchQuery(query: EncodedQuery): string {
  const orders = query.orders.map(({ path, direction }) => `${direction} ${path.join('.')}`)
  return [sketch(query.where), ...orders].join('; ')
}

function read(text: string): string {
  const result = parseEncodedQuery(text)
  return result.ok ? sketchQuery(result.value) : `refused at ${result.error.position}: ${result.error.detail}`
}

describe('conditions', () => {
  const examples: [text: string, meaning: string][] = [
    ['', 'everything'],
    ['active=true', 'active = "true"'],
    ['number=TSK0000001', 'number = "TSK0000001"'],
    ['active=true^state=1', 'and(active = "true", state = "1")'],
    ['a=1^b=2^ORc=3', 'and(a = "1", or(b = "2", c = "3"))'],
    ['a=1^ORb=2^c=3', 'and(or(a = "1", b = "2"), c = "3")'],
    ['a=1^b=2^NQc=3^d=4', 'or(and(a = "1", b = "2"), and(c = "3", d = "4"))'],
    ['a=1^NQb=2^ORc=3', 'or(a = "1", b = "2", c = "3")'],
    ['(a=1^b=2)^ORc=3', 'or(and(a = "1", b = "2"), c = "3")'],
    ['a=1^(b=2^NQc=3^d=4)', 'and(a = "1", or(b = "2", and(c = "3", d = "4")))'],
    ['a=1^OR(b=2^c=3)', 'or(a = "1", and(b = "2", c = "3"))'],
    ['a=1^NQ(b=2)', 'or(a = "1", b = "2")'],
    ['((a=1))', 'a = "1"'],
    ['(a=1^(b=2^(c=3)))', 'and(a = "1", b = "2", c = "3")'],
    ['assigned_user.company.name=ООО «Ромашка»', 'assigned_user.company.name = "ООО «Ромашка»"'],
    ['a.b.c.d.e.f=1', 'a.b.c.d.e.f = "1"'],
    ['_x9=1', '_x9 = "1"'],
  ]
  test.each(examples)('%s', (text, meaning) => {
    expect(read(text)).toBe(meaning)
  })
})

describe('values', () => {
  const examples: [text: string, meaning: string][] = [
    ['subject=a^^b', 'subject = "a^b"'],
    ['subject=^^^^', 'subject = "^^"'],
    ['subject=a^^^b=1', 'and(subject = "a^", b = "1")'],
    ['subject=a^^ORb=1', 'subject = "a^ORb=1"'],
    ['subject= spaces stay ', 'subject = " spaces stay "'],
    ['subject=50% of_it', 'subject = "50% of_it"'],
    ['subject=O\'Brien "x"', 'subject = "O\'Brien "x""'],
    ['subject=почта не работает', 'subject = "почта не работает"'],
    ['subject=👩‍👩‍👧 😀', 'subject = "👩‍👩‍👧 😀"'],
    ['email=anna@example.com', 'email = "anna@example.com"'],
    ['subject=a=b!=c<d', 'subject = "a=b!=c<d"'],
    ['assigned_user=javascript:gs.getUserID()', 'assigned_user = "javascript:gs.getUserID()"'],
    ['subject=', 'subject ISEMPTY'],
    ['subject=^active=true', 'and(subject ISEMPTY, active = "true")'],
    ['subject!=', 'subject ISNOTEMPTY'],
    ['subjectLIKE', 'subject LIKE'],
    ['stateIN', 'state IN'],
  ]
  test.each(examples)('%s', (text, meaning) => {
    expect(read(text)).toBe(meaning)
  })
})

describe('what condition builders write at the end of a group has no effect (issue 10, 4)', () => {
  const examples: [text: string, same: string][] = [
    ['^EQ', ''],
    ['^', ''],
    ['^EQ^ORDERBYa', 'ORDERBYa'],
    ['a=1^', 'a=1'],
    ['a=1^EQ', 'a=1'],
    ['a=1^EQ^', 'a=1'],
    ['a=^EQ', 'aISEMPTY'],
    ['a=1^b=2^EQ^NQc=3^EQ', 'a=1^b=2^NQc=3'],
    ['a=1^EQ^ORDERBYb^', 'a=1^ORDERBYb'],
    ['a=1^ORDERBYb^EQ', 'a=1^ORDERBYb'],
    ['ORDERBYa^EQ', 'ORDERBYa'],
    ['ORDERBYa^', 'ORDERBYa'],
    ['(a=1^EQ)^b=2', 'a=1^b=2'],
    ['(a=1^)^b=2', 'a=1^b=2'],
    ['()', ''],
    ['()^ORDERBYDESCb', 'ORDERBYDESCb'],
    ['()ORDERBYb^ORDERBYc', 'ORDERBYb^ORDERBYc'],
  ]
  test.each(examples)('%s', (text, same) => {
    const [one, other] = [parseEncodedQuery(text), parseEncodedQuery(same)]
    if (!one.ok || !other.ok) throw new Error(`${text} or ${same} was rejected`)
    expect(withoutPositions(one.value)).toEqual(withoutPositions(other.value))
  })

  test('an escaped caret at the end is still part of the value', () => {
    expect(read('a=1^^')).toBe('a = "1^"')
    expect(read('a=1^^^')).toBe('a = "1^"')
  })
})

describe('brackets in values', () => {
  const examples: [text: string, meaning: string][] = [
    ['subject=)', 'subject = ")"'],
    ['subject=a) b(', 'subject = "a) b("'],
    ['(subject=f(x))', 'subject = "f(x)"'],
    ['(subject=f(g(x), y))^a=1', 'and(subject = "f(g(x), y)", a = "1")'],
    ['(assigned_user=javascript:gs.getUserID())', 'assigned_user = "javascript:gs.getUserID()"'],
    ['(subject=:^\\))^a=1', 'and(subject = ":)", a = "1")'],
    ['(subject=:^\\()', 'subject = ":("'],
    ['subject=^\\(^\\)', 'subject = "()"'],
    ['(subject=(^a=1)', 'and(subject = "(", a = "1")'],
    ['(subject=)', 'subject ISEMPTY'],
    ['(subjectISEMPTY)', 'subject ISEMPTY'],
    ['(a=1)^b=2)', 'and(a = "1", b = "2)")'],
    ['x<^\\=5', 'x < "=5"'],
    ['x=^\\^\\', 'x = "^\\"'],
    ['x=^\\😀', 'x = "😀"'],
  ]
  test.each(examples)('%s', (text, meaning) => {
    expect(read(text)).toBe(meaning)
  })
})

describe('operators', () => {
  const withOtherReading: Partial<Record<Operator, [text: string, meaning: string]>> = {
    ISEMPTY: ['fISEMPTY', 'f ISEMPTY'],
    ISNOTEMPTY: ['fISNOTEMPTY', 'f ISNOTEMPTY'],
    EMPTYSTRING: ['fEMPTYSTRING', 'f EMPTYSTRING'],
    ANYTHING: ['fANYTHING', 'f ANYTHING'],
  }
  test.each(OPERATORS.flatMap((operator) => spellingsOf(operator).map((spelling) => ({ operator, spelling }))))(
    '$spelling is read as $operator',
    ({ operator, spelling }) => {
      const [text, meaning] = withOtherReading[operator] ?? [`f${spelling}v`, `f ${operator} "v"`]
      expect(read(text)).toBe(meaning)
    },
  )

  const longest: [text: string, meaning: string][] = [
    ['f<=5', 'f <= "5"'],
    ['f>=5', 'f >= "5"'],
    ['fINSTANCEOFtask', 'f INSTANCEOF "task"'],
    ['fINSTALL', 'f IN "STALL"'],
    ['fHASNOT1', 'f HASNOT "1"'],
    ['fNOTON2026-01-01', 'f NOTON "2026-01-01"'],
    ['fNOT IN1,2', 'f NOT IN "1,2"'],
    ['fNOTLIKEx', 'f NOT LIKE "x"'],
    ['dueBETWEEN1@2', 'due BETWEEN "1@2"'],
    ['dueRELATIVEGE@hour@ago@1', 'due RELATIVEGE "@hour@ago@1"'],
    ['aGT_OR_EQUALS_FIELDb.c', 'a GT_OR_EQUALS_FIELD "b.c"'],
    ['(aSAMEASb)', 'a SAMEAS "b"'],
    ['assignment_groupDYNAMICmygroups', 'assignment_group DYNAMIC "mygroups"'],
  ]
  test.each(longest)('%s', (text, meaning) => {
    expect(read(text)).toBe(meaning)
  })

  const fullText: [text: string, meaning: string][] = [
    ['123TEXTQUERY321=принтер не печатает', 'ARE "принтер не печатает"'],
    ['123TEXTQUERY321AREprinter', 'ARE "printer"'],
    ['AREprinter', 'ARE "printer"'],
    ['subjectAREprinter', 'subject ARE "printer"'],
    ['active=true^123TEXTQUERY321=printer', 'and(active = "true", ARE "printer")'],
    ['(AREa(b)c)', 'ARE "a(b)c"'],
  ]
  test.each(fullText)('%s', (text, meaning) => {
    expect(read(text)).toBe(meaning)
  })

  test.each(Object.entries(REJECTED_OPERATORS))('%s is rejected with its reason', (spelling, reason) => {
    expect(read(`state${spelling}1`)).toBe(`refused at 5: ${spelling} cannot be used: ${reason}.`)
    expect(read(`^${spelling}1`.slice(1))).toBe(`refused at 0: ${spelling} cannot be used: ${reason}.`)
  })
})

describe('orders', () => {
  const examples: [text: string, meaning: string][] = [
    ['ORDERBYnumber', 'everything; ascending number'],
    ['^ORDERBYnumber', 'everything; ascending number'],
    ['ORDERBYDESCsys_created_at', 'everything; descending sys_created_at'],
    ['ORDERBYa^ORDERBYDESCb.c', 'everything; ascending a; descending b.c'],
    ['ORDERBYa^b=1', 'b = "1"; ascending a'],
    ['a=1^ORDERBYb', 'a = "1"; ascending b'],
    ['a=1^ORDERBYb^c=2', 'and(a = "1", c = "2"); ascending b'],
    ['a=1^ORDERBYb^ORc=2', 'or(a = "1", c = "2"); ascending b'],
    ['a=1^ORDERBYb^NQc=2', 'or(a = "1", c = "2"); ascending b'],
    ['a=1^NQORDERBYb^c=2', 'or(a = "1", c = "2"); ascending b'],
    ['(a=1)^ORDERBYx', 'a = "1"; ascending x'],
    ['(a=1)ORDERBYx', 'a = "1"; ascending x'],
    ['(a=1)ORDERBYDESCx^ORDERBYy', 'a = "1"; descending x; ascending y'],
    ['(a=1)ORDERBYx^b=2', 'and(a = "1", b = "2"); ascending x'],
    ['aISEMPTY^ORDERBYx', 'a ISEMPTY; ascending x'],
    ['a=ORDERBYx', 'a = "ORDERBYx"'],
  ]
  test.each(examples)('%s', (text, meaning) => {
    expect(read(text)).toBe(meaning)
  })
})

describe('what is rejected says where and what was expected', () => {
  const operators =
    'It may be =, !=, <, >, <=, >=, IN, NOT IN, LIKE, NOT LIKE, STARTSWITH, NOTSTARTSWITH, ENDSWITH, ISEMPTY, ' +
    'ISNOTEMPTY, EMPTYSTRING, ANYTHING, BETWEEN, SAMEAS, NSAMEAS, GT_FIELD, LT_FIELD, GT_OR_EQUALS_FIELD, ' +
    'LT_OR_EQUALS_FIELD, ON, NOTON, RELATIVEGT, RELATIVEGE, RELATIVELT, RELATIVELE, RELATIVEEE, DATEPART, HAS, HASNOT, ' +
    'DYNAMIC, CONTAINS_DYNAMIC, DOESNOTCONTAIN_DYNAMIC, ARE, INSTANCEOF, MATCH_PAT, MATCH_RGX.'
  const condition = 'Expected a condition (a field name in lower-case letters, or an opening bracket)'
  const examples: [text: string, position: number, detail: string, field?: string][] = [
    ['stateLKE5', 5, `Expected an operator after state, found "LKE5". ${operators}`, 'state'],
    ['a=1^state like 5', 9, `Expected an operator after state, found " like 5". ${operators}`, 'state'],
    ['a.b', 3, `Expected an operator after a.b, found the end of the query. ${operators}`, 'a.b'],
    ['State=1', 0, `${condition}, found "State=1".`],
    ['=1', 0, `${condition}, found "=1".`],
    ['a=1^EQ^b=2', 4, `${condition}, found "EQ".`],
    ['^a=1', 0, `${condition}, found "^a=1".`],
    ['a=1^OR', 6, `${condition}, found the end of the query.`],
    ['a=1^NQ', 6, `${condition}, found the end of the query.`],
    ['a=1^NQORDERBYb', 14, `${condition}, found the end of the query.`],
    ['(())', 2, `${condition}, found "))".`],
    ['()^a=1', 1, `${condition}, found ")".`],
    ['()^NQa=1', 1, `${condition}, found ")".`],
    ['a=1^()', 5, `${condition}, found ")".`],
    ['имя=1', 0, `${condition}, found "имя=1".`],
    ['a..b=1', 2, 'Expected a field name after a., found ".b=1".'],
    ['a.=1', 2, 'Expected a field name after a., found "=1".'],
    ['a.b.c.d.e.f.g=1', 12, 'A field may lead through at most 5 references.', 'a.b.c.d.e.f'],
    ['(a=1', 4, 'Expected ^, ^OR, ^NQ or the ) of the bracket opened at position 0, found the end of the query.'],
    [
      'a=1^(b=(2)',
      10,
      'Expected ^, ^OR, ^NQ or the ) of the bracket opened at position 4, found the end of the query.',
    ],
    ['(a=1)b=2', 5, 'Expected ^, ^OR, ^NQ or the end of the query, found "b=2".'],
    ['(a=1))', 5, 'Expected ^, ^OR, ^NQ or the end of the query, found ")".'],
    ['aISEMPTYx', 8, 'ISEMPTY takes no value, found "x".', 'a'],
    ['aISEMPTY)', 8, 'ISEMPTY takes no value, found ")".', 'a'],
    ['aSAMEAS', 7, 'Expected the field to compare a with, found the end of the query.'],
    ['aSAMEASb@day', 8, 'Expected ^, ^OR, ^NQ or the end of the query, found "@day".'],
    ['aSAMEASB', 7, 'Expected the field to compare a with, found "B".'],
    ['ORDERBY', 7, 'Expected the field to order by, found the end of the query.'],
    ['ORDERBYDESCNumber', 11, 'Expected the field to order by, found "Number".'],
    ['ORDERBYa,b', 8, 'Expected ^ or the end of the query after an order, found ",b".'],
    ['a=1^ORDERBYb,c', 12, 'Expected ^, ^OR, ^NQ or the end of the query, found ",c".'],
    ['ORDERBYa^ORb=1', 8, 'Expected a condition before ^OR and ^NQ, found "^ORb=1".'],
    ['ORDERBYa^NQb=1', 8, 'Expected a condition before ^OR and ^NQ, found "^NQb=1".'],
    ['a=1^ORORDERBYb', 6, 'Expected a condition, found an order; it is joined by ^ and not by ^OR.'],
    ['(a=1^ORDERBYb)', 4, 'An order stands outside all brackets.'],
    ['(ORDERBYb)', 1, 'An order stands outside all brackets.'],
    ['((a=1)ORDERBYb)', 6, 'An order stands outside all brackets.'],
    ['123TEXTQUERY321', 15, 'Expected = or ARE after 123TEXTQUERY321, found the end of the query.'],
    ['123TEXTQUERY321=', 16, 'Expected the words to search for.'],
    ['subjectARE', 10, 'Expected the words to search for.'],
    ['a=1^\\', 5, 'Expected a character after ^\\.'],
    ['a=\0', 2, 'The query holds the character U+0000, which no stored text can hold.'],
    ['a=x\ud83d', 3, 'The query holds half of a surrogate pair, which is not a character.'],
  ]
  test.each(examples)('%j', (text, position, detail, field) => {
    expect(parseEncodedQuery(text)).toEqual({
      ok: false,
      error: { kind: 'bad-query', position, detail, ...(field === undefined ? {} : { field }) },
    })
  })

  test('an excerpt in a message never cuts a character in two', () => {
    const result = parseEncodedQuery(`state ${'😀'.repeat(30)}`)
    expect(result.ok ? '' : result.error.detail.isWellFormed()).toBe(true)
  })
})

describe('limits', () => {
  test('the longest query is read, one character more is rejected', () => {
    const value = 'x'.repeat(MAX_QUERY_UNITS - 2)
    expect(parseEncodedQuery(`a=${value}`).ok).toBe(true)
    expect(read(`a=${value}x`)).toBe('refused at 65536: The query is 65537 characters long; at most 65536 are allowed.')
  })

  test('the deepest brackets are read, one more is rejected', () => {
    const nested = (levels: number) => `${'('.repeat(levels)}a=1${')'.repeat(levels)}`
    expect(read(nested(MAX_BRACKET_LEVELS))).toBe('a = "1"')
    expect(read(nested(MAX_BRACKET_LEVELS + 1))).toBe('refused at 32: More than 32 brackets are open at once.')
  })

  test('a closed bracket makes room for the next', () => {
    expect(parseEncodedQuery(Array(100).fill('(a=1)').join('^')).ok).toBe(true)
  })

  test('the most conditions are read, one more is rejected', () => {
    expect(parseEncodedQuery(Array(MAX_CONDITIONS).fill('a=1').join('^OR')).ok).toBe(true)
    expect(
      read(
        Array(MAX_CONDITIONS + 1)
          .fill('a=1')
          .join('^'),
      ),
    ).toBe('refused at 2000: A query may have at most 500 conditions.')
  })

  test('the most orders are read, one more is rejected', () => {
    expect(parseEncodedQuery(Array(MAX_ORDERS).fill('ORDERBYa').join('^')).ok).toBe(true)
    expect(
      read(
        Array(MAX_ORDERS + 1)
          .fill('ORDERBYa')
          .join('^'),
      ),
    ).toBe('refused at 180: A query may have at most 20 orders.')
  })
})

describe('laws', () => {
  test('any text is read or rejected, never thrown at, and an error points into the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), arbitraryQueryText), (text) => {
        const result = parseEncodedQuery(text)
        if (result.ok) return
        expect(result.error.position).toBeGreaterThanOrEqual(0)
        expect(result.error.position).toBeLessThanOrEqual(text.length)
        expect(result.error.detail.isWellFormed()).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test('every position of a query that was read points at its term', () => {
    fc.assert(
      fc.property(arbitraryQueryText, (text) => {
        const result = parseEncodedQuery(text)
        if (!result.ok) return
        for (const { path, position } of comparisonsOf(result.value.where)) {
          const term = path.length > 0 ? [path.join('.')] : ['ARE', '123TEXTQUERY321']
          expect(term.some((start) => text.startsWith(start, position))).toBe(true)
        }
        for (const { position } of result.value.orders) expect(text.slice(position)).toMatch(/^(ORDER|GROUP)BY/)
      }),
      { numRuns: 2_000 },
    )
  })

  test('what was read is in normal form', () => {
    fc.assert(
      fc.property(arbitraryQueryText, (text) => {
        const result = parseEncodedQuery(text)
        if (result.ok && result.value.where !== null) expectNormalForm(result.value.where)
      }),
      { numRuns: 2_000 },
    )
  })

  test('the work grows with the length and not faster', () => {
    // Each character is examined a few times at most; the constant covers the start and the end of a query.
    fc.assert(
      fc.property(arbitraryQueryText, fc.integer({ min: 1, max: 200 }), (text, times) => {
        const repeated = text.repeat(times).slice(0, MAX_QUERY_UNITS)
        expect(parseCountingSteps(repeated).steps).toBeLessThanOrEqual(20 * repeated.length + 20)
      }),
    )
  })

  const hostile = [
    '(',
    '((a=1)^OR',
    'a=(',
    '^',
    '^^',
    '^\\(',
    'a',
    'a.',
    'a=1^',
    '(a=1)ORDERBYx^',
    'ORDERBYa^',
    ')',
    '=',
  ]
  test.each(hostile)('the longest repetition of %j is no more work than any other text', (part) => {
    const text = part.repeat(MAX_QUERY_UNITS / part.length)
    expect(parseCountingSteps(text).steps).toBeLessThanOrEqual(20 * text.length + 20)
  })

  test.each(['"', '""', '"a"', '"a".', '"a""', '"a"=1^', '("a"='])('nor of %j in a metadata filter', (part) => {
    const text = part.repeat(MAX_QUERY_UNITS / part.length)
    expect(parseCountingSteps(text, 'keys').steps).toBeLessThanOrEqual(20 * text.length + 20)
  })

  test('quotes are for metadata only: a column name never stands in them', () => {
    for (const text of ['"state"=1', 'a."b"=1', 'ORDERBY"a"']) expect(parseEncodedQuery(text).ok).toBe(false)
  })
})

function expectNormalForm(tree: ConditionTree): void {
  if (tree.kind === 'comparison') return
  if (tree.kind === 'rows') {
    if (tree.where !== null) expectNormalForm(tree.where)
    return
  }
  expect(tree.of.length).toBeGreaterThanOrEqual(2)
  for (const member of tree.of) {
    expect(member.kind).not.toBe(tree.kind)
    expectNormalForm(member)
  }
}
