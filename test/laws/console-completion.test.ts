import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Completion,
  completed,
  completionsAt,
  type KnownColumn,
  type KnownTable,
  withCompletion,
} from '../../console/src/list/complete-query.ts'
import { readQuery } from '../../console/src/list/list-query.ts'
import { en } from '../../console/src/messages/en.ts'
import type { MessageKey } from '../../console/src/messages/keys.ts'
import type { ConditionTree } from '../../src/condition/condition-tree.ts'
import { OPERATORS, type Operator } from '../../src/condition/operators.ts'
import { parseEncodedQuery } from '../../src/condition/parse-encoded-query.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import { arbitraryQuery, arbitraryQueryText, arbitraryValue } from './arbitrary-query.ts'

interface Given {
  readonly title?: string
  readonly type?: string
  readonly target?: string
  readonly choices?: readonly (readonly [value: string, title: string])[]
  readonly read?: 'never'
  readonly operators?: readonly Operator[]
}

function tableOf(columns: Readonly<Record<string, Given>>): KnownTable {
  const entries = Object.entries(columns).map(([name, given]): readonly [string, KnownColumn] => [
    name,
    {
      name,
      title: given.title ?? name,
      type: given.type ?? 'string',
      target: given.target ?? null,
      operators: given.operators ?? OPERATORS,
      choices: (given.choices ?? []).map(([value, title]) => ({ value, title })),
      rights: { read: given.read ?? 'always' },
    },
  ])
  return { columns: new Map(entries) }
}

const tables: Readonly<Record<string, KnownTable>> = {
  incident: tableOf({
    subject: { title: 'Subject' },
    state: {
      title: 'State',
      choices: [
        ['new', 'New'],
        ['on_hold', 'On hold'],
        ['a^b(c', 'Odd'],
      ],
    },
    priority: {
      title: 'Priority',
      type: 'choice',
      choices: [
        ['1', 'Critical'],
        ['2', 'High'],
        ['=3', 'Equal'],
      ],
    },
    active: { title: 'Active', type: 'boolean' },
    opened_at: { title: 'Opened', type: 'datetime' },
    due_date: { title: 'Due date', type: 'datetime' },
    caller: { title: 'Caller', type: 'reference', target: 'user' },
    secret_note: { title: 'Secret note', read: 'never', choices: [['s', 'Secret']] },
    secret_owner: { title: 'Secret owner', type: 'reference', target: 'user', read: 'never' },
    vault: { title: 'Vault', type: 'reference', target: 'unreadable' },
    sys_id: {},
  }),
  user: tableOf({
    name: { title: 'Name' },
    born_at: { title: 'Born', type: 'datetime' },
    manager: { title: 'Manager', type: 'reference', target: 'user' },
    secret_salary: { title: 'Secret salary', read: 'never' },
  }),
}

const context = {
  table: tables['incident'] as KnownTable,
  known: (name: string) => tables[name],
  maxHops: 5,
  translate: (key: MessageKey): string => en[key],
}
const at = (text: string, cursor = text.length): readonly Completion[] => completionsAt(text, cursor, context).items
/** `|` stands for the cursor. */
const offered = (marked: string): readonly string[] => {
  const cursor = marked.indexOf('|')
  return at(marked.slice(0, cursor) + marked.slice(cursor + 1), cursor).map(({ code }) => code)
}
const taken = (marked: string, code: string): string => {
  const cursor = marked.indexOf('|')
  const text = marked.slice(0, cursor) + marked.slice(cursor + 1)
  const item = at(text, cursor).find((each) => each.code === code)
  return item === undefined ? `${code} is not offered` : withCompletion(text, item)
}

/** Queries over columns of the tables, which are more likely to be completed than any text. */
const names = [
  'subject',
  'state',
  'priority',
  'caller',
  'caller.name',
  'caller.manager.name',
  'secret_note',
  'opened_at',
]
const knownQuery = fc
  .array(
    fc.record({
      join: fc.constantFrom('^', '^OR', '^NQ', '^(', '^ORDERBY', '^ORDERBYDESC'),
      name: fc.constantFrom(...names),
      operator: fc.constantFrom(...OPERATORS),
      value: fc.oneof(fc.constantFrom('1', '1,2', 'new', 'Today', 'caller.name', ''), arbitraryValue),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((terms) => {
    let text = ''
    let open = 0
    for (const [index, { join, name, operator, value }] of terms.entries()) {
      if (index > 0) text += join
      if (index > 0 && join === '^(') open += 1
      text += join.startsWith('^ORDER') && index > 0 ? name : `${name}${operator}${value.replaceAll('^', '^^')}`
    }
    return text + ')'.repeat(open)
  })
const anyText = fc.oneof(knownQuery, arbitraryQueryText, arbitraryQuery.map(printEncodedQuery))

const pathsOf = (tree: ConditionTree): readonly string[] => {
  if (tree.kind === 'comparison')
    return [tree.path.join('.'), ...(tree.value.kind === 'field' ? [tree.value.path.join('.')] : [])]
  return tree.kind === 'rows' ? [] : tree.of.flatMap(pathsOf)
}

describe('completion in the text of a query (issue 13)', () => {
  test('a query without a fault has none with what is put in, wherever the cursor is', () => {
    const counts = { field: 0, operator: 0, value: 0, join: 0 }
    fc.assert(
      fc.property(anyText, fc.nat(), (text, place) => {
        if (!parseEncodedQuery(text).ok) return
        for (const item of at(text, place % (text.length + 1))) {
          counts[item.kind] += 1
          const read = parseEncodedQuery(completed(text, item))
          if (!read.ok) throw new Error(`${completed(text, item)}: ${read.error.detail}`)
        }
      }),
      { numRuns: 2_000 },
    )
    for (const [kind, count] of Object.entries(counts)) expect(`${kind} ${count > 20}`).toBe(`${kind} true`)
  })

  test('a field, an operator or a value that is put in is one of the query that is read', () => {
    fc.assert(
      fc.property(knownQuery, fc.nat(), (text, place) => {
        const before = parseEncodedQuery(text)
        if (!before.ok) return
        for (const item of at(text, place % (text.length + 1))) {
          const read = parseEncodedQuery(completed(text, item))
          if (!read.ok || item.kind !== 'field') continue
          const { where, orders } = read.value
          const paths = [...(where === null ? [] : pathsOf(where)), ...orders.map(({ path }) => path.join('.'))]
          expect(paths.filter((path) => path.startsWith(item.code))).not.toEqual([])
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('a name that is cut off at any place is offered again', () => {
    const readable = ['subject', 'state', 'opened_at', 'caller.name', 'caller.manager.name']
    fc.assert(
      fc.property(
        fc.constantFrom(...readable),
        fc.nat(),
        fc.constantFrom('', 'ORDERBY', 'active=true^'),
        (path, cut, start) => {
          const from = path.lastIndexOf('.') + 1
          const typed = start + path.slice(0, from + (cut % (path.length - from)))
          expect(at(typed).map((item) => withCompletion(typed, item))).toContain(start + path)
        },
      ),
    )
  })

  test('nothing is offered that the user may not read, whatever is typed', () => {
    const typed = fc.oneof(
      anyText,
      fc
        .array(fc.constantFrom('secret', '_note', '_owner', '.', 'caller', 'vault', '=', '^', 'SAMEAS', 'ORDERBY', 'S'))
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(typed, fc.nat(), (text, place) => {
        for (const item of at(text, place % (text.length + 1)))
          expect(`${item.code} ${item.title}`).not.toMatch(/secret|vault\./i)
      }),
      { numRuns: 2_000 },
    )
    for (const marked of ['secret_note|', 'secret_note=|', 'secret_owner.|', 'vault.|', 'caller.secret|', 'secret|'])
      expect({ marked, codes: offered(marked).filter((code) => /^(secret|vault|=|IN|s$)/.test(code)) }).toEqual({
        marked,
        codes: [],
      })
  })

  test('names and titles of columns, also through references, after orders and in the middle of a text', () => {
    expect(offered('prio|')).toEqual(['priority'])
    expect(offered('Due d|')).toEqual(['due_date'])
    expect(taken('Due d|', 'due_date')).toBe('due_date')
    expect(offered('caller.ma|')).toEqual(['caller.manager'])
    expect(offered('caller.manager.nam|')).toEqual(['caller.manager.name'])
    expect(offered('active=true^ORDERBYDESCcaller.nam|')).toEqual(['caller.name'])
    expect(offered('GROUPBYpri|')).toEqual(['priority'])
    expect(offered('active=true^st|ate=new^priority=1')).not.toContain('subject')
    expect(taken('active=true^s|tate=new^priority=1', 'subject')).toBe('active=true^subject=new^priority=1')
    // A dot follows: only what leads on.
    expect(offered('|caller.name=x')).toEqual(['vault'])
  })

  test('operators by code and by their words; the value stays if it fits', () => {
    expect(offered('subjectST|')).toEqual(['STARTSWITH'])
    expect(taken('opened_at sin|', '>=')).toBe('opened_at>=')
    expect(taken('subjectST|ARTSWITHx^active=true', 'STARTSWITH')).toBe('STARTSWITH is not offered')
    expect(taken('subjectN|OT LIKEx^active=true', 'NOTSTARTSWITH')).toBe('subjectNOTSTARTSWITHx^active=true')
    expect(taken('subjectIS|EMPTY^active=true', 'ISNOTEMPTY')).toBe('subjectISNOTEMPTY^active=true')
    expect(offered('subject|').slice(0, 2)).toEqual(['=', '!='])
    expect(offered('opened_at>|')).toContain('>=')
  })

  test('choices, truth, periods, and the other field of a comparison', () => {
    expect(offered('priority=|').slice(0, 3)).toEqual(['1', '2', '=3'])
    expect(taken('priority<|', '=3')).toBe('priority<^\\=3')
    expect(taken('(state=|)', 'a^b(c')).toBe('(state=a^^b^\\(c)')
    expect(taken('priorityIN1,|', '2')).toBe('priorityIN1,2')
    expect(taken('priorityINCri|,2^active=true', '1')).toBe('priorityIN1,2^active=true')
    expect(offered('active=|').slice(0, 2)).toEqual(['true', 'false'])
    expect(offered('opened_atON|')).toContain('Last 7 days')
    expect(offered('caller=|')).toContain('javascript:gs.getUserID()')
    expect(offered('opened_atGT_FIELD|')).toEqual(['caller', 'due_date', 'opened_at', 'vault'])
    expect(offered('opened_atGT_FIELDcaller.b|').at(0)).toBe('caller.born_at')
  })

  test('after a condition: and, or, another group and orders', () => {
    expect(offered('active=true|')).toEqual(['^', '^OR', '^NQ', '^ORDERBY', '^ORDERBYDESC'])
    expect(offered('active=true^O|').slice(-3)).toEqual(['^OR', '^ORDERBY', '^ORDERBYDESC'])
    expect(offered('(active=true|)')).toEqual(['^', '^OR', '^NQ'])
    expect(offered('(active=true)|')).toContain('^ORDERBY')
    expect(offered('ORDERBYsubject^O|')).not.toContain('^OR')
  })

  test('a text that is full of faults is completed at once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(), (text, place) => {
        const cursor = place % (text.length + 1)
        for (const { from, to } of at(text, cursor)) {
          expect(from).toBeLessThanOrEqual(cursor)
          expect(to).toBeGreaterThanOrEqual(cursor)
        }
        expect(typeof readQuery(text).ok).toBe('boolean')
      }),
      { numRuns: 1_000 },
    )
  })
})
