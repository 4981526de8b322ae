import { setupI18n } from '@lingui/core'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationText } from '../../console/src/list/duration-text.ts'
import { querySentence } from '../../console/src/list/query-sentence.ts'
import { readDuration } from '../../console/src/list/read-duration.ts'
import { type TermContext, termWords } from '../../console/src/list/term-words.ts'
import { en } from '../../console/src/messages/en.ts'
import { ru } from '../../console/src/messages/ru.ts'
import type { Range } from '../../console/src/search/marked-text.ts'
import { fencesOf, isMarkdown, withoutMarks } from '../../console/src/search/plain-markdown.ts'
import { all, any, type ConditionTree, condition, printEncodedQuery } from '../../packages/client/src/index.ts'
import { OPERATORS } from '../../src/condition/operators.ts'
import { parseEncodedQuery } from '../../src/condition/parse-encoded-query.ts'

const priorities = ['Critical', 'High', 'Medium', 'Low'].map((title, at) => ({ value: String(at + 1), title }))
const plain = { target: null, choices: [] }
const columns: Readonly<Record<string, ReturnType<TermContext['column']>>> = {
  subject: { title: 'Subject', column: { ...plain, type: 'string' } },
  priority: { title: 'Priority', column: { ...plain, type: 'choice', choices: priorities } },
  opened_at: { title: 'Opened', column: { ...plain, type: 'datetime' } },
  closed_at: { title: 'Closed', column: { ...plain, type: 'datetime' } },
  active: { title: 'Active', column: { ...plain, type: 'boolean' } },
  caller: { title: 'Caller', column: { ...plain, type: 'reference', target: 'user' } },
  labels: { title: 'Labels', column: { ...plain, type: 'list' } },
  worked: { title: 'Worked', column: { ...plain, type: 'duration' } },
}

function contextOf(language: 'en' | 'ru'): TermContext {
  const texts = Object.entries({ en, ru }[language]).map(([key, text]) => [key, compileMessage(text)])
  const i18n = setupI18n({ locale: language, messages: { [language]: Object.fromEntries(texts) } })
  return {
    translate: (key, values) => i18n._(key, values === undefined ? undefined : { ...values }),
    language,
    column: (path) => columns[path] ?? null,
    recordName: (_table, sysId) => (sysId === '300000000000000001' ? 'Anna Petrova' : null),
    tableTitle: (name) => (name === 'sys_approval' ? 'Approvals' : name),
  }
}

function words(query: string, language: 'en' | 'ru' = 'en'): string {
  const read = parseEncodedQuery(query)
  if (!read.ok || read.value.where === null) throw new Error(`not a condition: ${query}`)
  return termWords(read.value.where, contextOf(language))
}

describe('conditions in words (issue 13)', () => {
  test.each([
    ['callerDYNAMICme', 'Caller is me', 'Caller — я'],
    ['callerINjavascript:gs.getMyGroups()', 'Caller is my groups', 'Caller — мои группы'],
    ['opened_atRELATIVEGT@day@ago@7', 'Opened after 7 days ago', 'Opened после 7 дней назад'],
    ['opened_atRELATIVELE@hour@ahead@1', 'Opened until in 1 hour', 'Opened не позже через 1 час'],
    ['opened_atONToday', 'Opened: today', 'Opened: сегодня'],
    ['opened_atONlast WEEK', 'Opened: last week', null],
    // The ends decide, whatever the label before them says.
    ['opened_atONToday@2020-01-01@2020-02-01', 'Opened: Jan 1, 2020 – Feb 1, 2020', null],
    [
      'opened_atONLast 2 quarters',
      'Opened: last quarter – this quarter',
      'Opened: в прошлом квартале – в текущем квартале',
    ],
    ['opened_atNOTON2026-03-01', 'Opened: is not Mar 1, 2026', 'Opened: не 1 мар. 2026 г.'],
    ['opened_atDATEPARTweekday@1', 'Opened: day of the week is Monday', 'Opened: день недели — понедельник'],
    ['opened_atGT_FIELDclosed_at', 'Opened after Closed', 'Opened после Closed'],
    ['opened_atSAMEASclosed_at', 'Opened is the same as Closed', 'Opened совпадает с полем Closed'],
    ['opened_at>=javascript:gs.beginningOfLastWeek()', 'Opened since the beginning of last week', null],
    ['opened_at<javascript:gs.daysAgo(3)', 'Opened before 3 days ago', 'Opened до 3 дня назад'],
    ['priority<3', 'Priority is Critical, High', 'Priority — Critical, High'],
    ['priority>=3', 'Priority is Medium, Low', null],
    ['priorityIN1,4', 'Priority is Critical, Low', null],
    ['priority<1', 'Priority less than Critical', null],
    ['active=true', 'Active is yes', 'Active — да'],
    ['caller=300000000000000001', 'Caller is Anna Petrova', null],
    [
      'callerIN300000000000000001,300000000000000002',
      'Caller is Anna Petrova, 1 other',
      'Caller — Anna Petrova, ещё 1',
    ],
    ['subjectISEMPTY', 'Subject is empty', 'Subject пусто'],
    ['subjectBETWEENa@m', 'Subject between a and m', 'Subject между a и m'],
    ['labelsHASblue', 'Labels has blue', null],
    ['worked>5400000', 'Worked more than 1 h 30 m', 'Worked больше 1 ч 30 мин'],
    ['worked=1500', 'Worked is 1500', null],
    ['secret=5', 'a column that you may not view is 5', 'столбец, который вам недоступен — 5'],
    ['caller.secretISEMPTY', 'a column that you may not view is empty', null],
    ['opened_atGT_FIELDsecret', 'Opened after a column that you may not view', null],
    ['subject=a^ORpriority=2', 'Subject is a or Priority is High', 'Subject — a или Priority — High'],
  ])('%s', (query, english, russian) => {
    expect(words(query)).toBe(english)
    if (russian !== null) expect(words(query, 'ru')).toBe(russian)
  })

  test('a duration in words is read as the same duration; what is none is not', () => {
    fc.assert(
      fc.property(fc.nat(100_000_000), fc.constantFrom('en', 'ru'), (seconds, language) => {
        const value = String(seconds * 1_000)
        expect(readDuration(durationText(value, language))).toBe(value)
      }),
    )
    for (const text of ['', ' ', 'soon', '90', '1.5 h', '-1 h', `${'9'.repeat(30)} d`])
      expect([text, readDuration(text)]).toEqual([text, null])
  })

  test('no name of an operator is in them, whatever the operator is', () => {
    for (const operator of OPERATORS) {
      for (const language of ['en', 'ru'] as const) {
        const term = {
          kind: 'comparison',
          path: ['subject'],
          operator,
          value: { kind: 'literal', text: 'x' },
          position: 0,
        } as const
        const termText = termWords(term, contextOf(language))
        if (/^[A-Z]/.test(operator)) expect(termText).not.toContain(operator)
        expect(termText).toMatch(/^Subject .+ x$/)
      }
    }
  })
})

function sentence(query: string, language: 'en' | 'ru' = 'en'): string {
  const read = parseEncodedQuery(query)
  if (!read.ok) throw new Error(`not a query: ${query}`)
  return querySentence('Tasks', read.value, contextOf(language))
}

describe('a sentence for the whole query (issue 13)', () => {
  test.each([
    ['', 'Tasks: all records.', 'Tasks: все записи.'],
    [
      'active=true^priorityIN1,2^ORDERBYDESCopened_at',
      'Tasks: Active is yes and Priority is Critical, High. Sorted by Opened (descending).',
      'Tasks: Active — да и Priority — Critical, High. Сортировка: Opened (по убыванию).',
    ],
    [
      'active=true^subjectLIKEvpn^ORsubjectLIKEwifi^ORDERBYpriority^ORDERBYsecret',
      'Tasks: Active is yes and (Subject contains vpn or Subject contains wifi). Sorted by Priority, a column that you may not view.',
      'Tasks: Active — да и (Subject содержит vpn или Subject содержит wifi). Сортировка: Priority, столбец, который вам недоступен.',
    ],
    [
      'active=true^priority=1^NQsubjectISEMPTY',
      'Tasks: (Active is yes and Priority is Critical) or Subject is empty.',
      'Tasks: (Active — да и Priority — Critical) или Subject пусто.',
    ],
    [
      'active=true^RLQUERYsys_approval.record,>=2^state=approved^ENDRLQUERY',
      'Tasks: Active is yes and Approvals: at least 2 (state=approved).',
      'Tasks: Active — да и Approvals: не меньше 2 (state=approved).',
    ],
  ])('%s', (query, english, russian) => {
    expect(sentence(query)).toBe(english)
    expect(sentence(query, 'ru')).toBe(russian)
  })

  const leaf = fc.nat(9).map((number): ConditionTree => condition('subject', '=', `value ${number}`))
  const { tree } = fc.letrec<{ tree: ConditionTree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc
        .tuple(fc.constantFrom(all, any), fc.array(tie('tree'), { minLength: 2, maxLength: 3 }))
        .map(([combine, [first, ...others]]) => combine(first as ConditionTree, ...others)),
    ),
  }))
  const textOf = (where: ConditionTree): string => printEncodedQuery({ where, orders: [] })

  test('it names each condition once, in order', () => {
    fc.assert(
      fc.property(tree, (where) => {
        const named = sentence(textOf(where)).match(/value \d/g)
        expect(named).toEqual(textOf(where).match(/value \d/g))
      }),
    )
  })

  test('queries that differ in how their conditions are joined have different sentences', () => {
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const same = sentence(textOf(one)) === sentence(textOf(other))
        expect(same).toBe(shapeOf(one) === shapeOf(other))
      }),
    )
  })
})

/** The tree without positions, as `parseEncodedQuery` reads it. */
function shapeOf(where: ConditionTree): string {
  const read = parseEncodedQuery(printEncodedQuery({ where, orders: [] }))
  return read.ok
    ? JSON.stringify(read.value.where, (key, value: unknown) => (key === 'position' ? undefined : value))
    : ''
}

describe('Markdown as people read it (issue 13)', () => {
  test('marks of headings, emphasis, code, links and tables go, and the words that were found stay marked', () => {
    const text =
      '## Steps\n\n> **Restart** the *print* `spooler`, _then_ see [the guide](https://x.example/a).\n\n| A | B |\n|---|:-:|\n'
    const at = text.indexOf('spooler')
    const displayed = withoutMarks(text, [[at, at + 7]])
    expect(displayed.text).toBe('Steps\n\nRestart the print spooler, then see the guide.\n\n| A | B |\n')
    expect(displayed.ranges.map(([from, to]) => displayed.text.slice(from, to))).toEqual(['spooler'])
  })

  test('code stays as it is, and the words found in it stay marked', () => {
    const text = 'Call `__init__`, **see** ``a`**b**``:\n\n```py\n# a comment\n__all__ = `x`\n```\n\n# End **now**\n'
    const at = text.indexOf('init')
    const displayed = withoutMarks(text, [[at, at + 4]])
    expect(displayed.text).toBe('Call __init__, see a`**b**:\n\n```py\n# a comment\n__all__ = `x`\n```\n\nEnd now\n')
    expect(displayed.ranges.map(([from, to]) => displayed.text.slice(from, to))).toEqual(['init'])
    expect(fencesOf(text).map(([from, to]) => text.slice(from, to))).toEqual(['```py\n# a comment\n__all__ = `x`\n```'])
    const open = '~~~\n# a comment\n```\n> **b**'
    expect(withoutMarks(open, [])).toEqual({ text: open, ranges: [] })
  })

  test('only Markdown has marks', () => {
    expect(isMarkdown({ media_type: 'text/markdown' })).toBe(true)
    for (const type of ['text/plain', 'text/x-python', 'application/pdf'])
      expect(isMarkdown({ media_type: type })).toBe(false)
  })

  test('text without marks stays as it is', () => {
    for (const text of [
      'a * b * c',
      '2*3*4',
      '2 ** 3',
      '*',
      '* item\n* item',
      'snake_case_name',
      '_id, _rev',
      'C# and F#',
      '`',
      '**',
    ])
      expect(withoutMarks(text, [])).toEqual({ text, ranges: [] })
  })

  test('characters only go, and ranges stay inside of the text, with what is left of their words', () => {
    const piece = fc.constantFrom(
      '**',
      '*',
      '_',
      '`',
      '```\n',
      '# ',
      '> ',
      '[',
      '](u)',
      '__',
      'word',
      ' ',
      '\n',
      'слово',
      '|---|',
      '😀',
    )
    const range = fc.tuple(fc.nat(60), fc.nat(12)).map(([from, length]): Range => [from, from + length])
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(range, { maxLength: 4 }), (pieces, wanted) => {
        const text = pieces.join('')
        const ranges = wanted.filter(([from, to]) => from < to && to <= text.length)
        const displayed = withoutMarks(text, ranges)
        let at = 0
        for (const character of displayed.text) {
          const found = text.indexOf(character, at)
          expect(found).toBeGreaterThanOrEqual(at)
          at = found + character.length
        }
        for (const [from, to] of displayed.ranges) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(displayed.text.length)
        }
        expect(displayed.text.length).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})
