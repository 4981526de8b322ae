import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Completion,
  completed,
  completionsAt,
  type KnownColumn,
  type KnownTable,
  tablesToRead,
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
    sys_id: {},
  }),
  task: tableOf({ subject: { title: 'Subject' }, sys_id: {} }),
  approval: tableOf({
    task: { title: 'Task', type: 'reference', target: 'task' },
    approver: { title: 'Approver', type: 'reference', target: 'user' },
    note: { title: 'Note' },
    decided_at: { title: 'Decided', type: 'datetime' },
    document: { type: 'text', operators: ['LIKE', 'ISEMPTY'] },
    secret_task: { title: 'Secret task', type: 'reference', target: 'task', read: 'never' },
    sys_id: {},
  }),
  // The user may not read it.
  secret_log: tableOf({ incident: { type: 'reference', target: 'incident' }, sys_id: {} }),
}

const context = {
  name: 'incident',
  tables: [
    { name: 'task', title: 'Task', parent: null },
    { name: 'incident', title: 'Incident', parent: 'task' },
    { name: 'user', title: 'User', parent: null },
    { name: 'approval', title: 'Approval', parent: null },
  ],
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

/** The same with conditions on rows of other tables, also in one another. */
const head = fc.constantFrom(
  'JOINincident.caller=user.sys_id!',
  'JOINincident.subject=approval.note!',
  'JOINtask.sys_id=approval.task!',
  'RLQUERYapproval.task,>=2^',
  'RLQUERYapproval.task,=0^',
)
const inner = fc.constantFrom(
  'name=x',
  'note=x^ORdecided_atONToday',
  'approver.name=x',
  '(note=x^NQsys_id=1)',
  'noteIN1,2',
)
const rowsQuery = fc
  .record({ before: fc.constantFrom('', 'active=true^'), head, second: fc.option(head), inner, after: fc.nat(4) })
  .map(({ before, head: first, second, inner: conditions, after }) => {
    const end = (text: string | null): string => (text?.startsWith('RLQUERY') === true ? '^ENDRLQUERY' : '')
    const last = ['', '^ORDERBYsubject', '^NQstate=new', '^JOINincident.caller=user.sys_id', '^EQ'][after] ?? ''
    const middle = `${second ?? ''}${conditions}${end(second)}`
    return `${before}${first}${middle}${end(first)}${last}`
  })
const anyText = fc.oneof(knownQuery, rowsQuery, arbitraryQueryText, arbitraryQuery.map(printEncodedQuery))

const pathsOf = (tree: ConditionTree): readonly string[] => {
  if (tree.kind === 'comparison')
    return [tree.path.join('.'), ...(tree.value.kind === 'field' ? [tree.value.path.join('.')] : [])]
  if (tree.kind !== 'rows') return tree.of.flatMap(pathsOf)
  const { link, where } = tree
  const columns = [link.other, ...(link.kind === 'join' ? [link.own] : [])].map(
    (each) => `${each.table}.${each.column}`,
  )
  return [...columns, ...(where === null ? [] : pathsOf(where))]
}

describe('completion in the text of a query (issue 13)', () => {
  test('a query without a fault has none with what is put in, wherever the cursor is', () => {
    const counts = { table: 0, field: 0, operator: 0, value: 0, join: 0 }
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
      fc.property(fc.oneof(knownQuery, rowsQuery), fc.nat(), (text, place) => {
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
        .array(
          fc.constantFrom(
            ...[
              'secret',
              '_note',
              '_owner',
              '_log',
              '_task',
              '.',
              'caller',
              'vault',
              '=',
              '^',
              'SAMEAS',
              'ORDERBY',
              'S',
            ],
            ...['JOIN', 'RLQUERY', 'incident.', 'approval', ',>=1^', '!', 'unreadable'],
          ),
        )
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(typed, fc.nat(), (text, place) => {
        for (const item of at(text, place % (text.length + 1)))
          expect(`${item.code} ${item.title}`).not.toMatch(/secret|vault\.|unreadable/i)
      }),
      { numRuns: 2_000 },
    )
    for (const marked of [
      ...[
        'JOINsecret_log.|',
        'RLQUERYsecret_log.|',
        'RLQUERYsecret|',
        'RLQUERYapproval.secret|',
        'JOINincident.secret|',
      ],
      ...['JOINincident.secret_owner=user.|', 'RLQUERYsecret_log.incident,>=1^|', 'JOINincident.vault=unreadable.|'],
      ...['JOINincident.caller=user.sys_id!secret|', 'RLQUERYapproval.task,>=1^secret_task.|'],
    ])
      expect({ marked, codes: offered(marked).filter((code) => !/^(\^|[=!,]$)/.test(code)) }).toEqual({
        marked,
        codes: [],
      })
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
    expect(offered('active=true|')).toEqual(['^', '^OR', '^NQ', '^ORDERBY', '^ORDERBYDESC', '^JOIN', '^RLQUERY'])
    expect(offered('active=true^O|').slice(-3)).toEqual(['^OR', '^ORDERBY', '^ORDERBYDESC'])
    expect(offered('(active=true|)')).toEqual(['^', '^OR', '^NQ', '^JOIN', '^RLQUERY'])
    expect(offered('(active=true)|')).toContain('^ORDERBY')
    expect(offered('ORDERBYsubject^O|')).not.toContain('^OR')
  })

  test('a JOIN: a table of the same records, what is comparable, and conditions on the other table', () => {
    expect(offered('JO|')).toEqual(['JOIN'])
    expect(taken('active=true^J|', '^JOIN')).toBe('active=true^JOIN')
    expect(offered('JOIN|')).toEqual(['incident', 'task'])
    expect(taken('JOIN|', 'incident')).toBe('JOINincident.')
    expect(taken('JOINinc|.caller=user.sys_id', 'incident')).toBe('JOINincident.caller=user.sys_id')
    expect(offered('JOINincident.call|')).toEqual(['incident.caller'])
    expect(offered('JOINincident.caller|')).toContain('=')
    // The table that the column refers to comes first.
    expect(offered('JOINincident.caller=|')[0]).toBe('user')
    expect(offered('JOINincident.caller=user.|')).toEqual(['user.sys_id', 'user.manager'])
    expect(offered('JOINincident.sys_id=approval.|')).toEqual(['approval.task'])
    expect(offered('JOINincident.opened_at=approval.|')).toEqual(['approval.decided_at'])
    expect(offered('JOINincident.caller=user.sys_id|')).toEqual([
      '!',
      '^',
      '^OR',
      '^NQ',
      '^ORDERBY',
      '^ORDERBYDESC',
      '^JOIN',
      '^RLQUERY',
    ])
    expect(offered('JOINincident.caller=user.sys_id!nam|')).toEqual(['name'])
    expect(offered('JOINincident.caller=user.sys_id!manager.nam|')).toEqual(['manager.name'])
    expect(offered('JOINincident.caller=user.sys_id!born_at after|')).toContain('>')
    expect(offered('JOINincident.caller=user.sys_id!name=x^bor|')).toEqual(['born_at'])
    // Another group, an order and another JOIN are on the first table again.
    expect(offered('JOINincident.caller=user.sys_id!name=x^NQprio|')).toEqual(['priority'])
    expect(offered('JOINincident.caller=user.sys_id!name=x^ORDERBYprio|')).toEqual(['priority'])
    expect(offered('JOINincident.caller=user.sys_id!name=x^JOINtask.|')).toContain('task.subject')
    expect(offered('(JOINincident.caller=user.sys_id!name=x)^prio|')).toEqual(['priority'])
    expect(offered('JOINincident.caller=user.sys_id^prio|')).toEqual(['priority'])
  })

  test('an RLQUERY: what refers to the record, how many, conditions on the rows, and its end', () => {
    expect(offered('active=true^RL|')).toEqual(['^RLQUERY'])
    expect(offered('RLQUERYappr|')).toEqual(['approval'])
    // A task is an incident, too.
    expect(offered('RLQUERYapproval.|')).toEqual(['approval.task'])
    expect(offered('RLQUERYapproval.task|')).toContain(',')
    expect(offered('RLQUERYapproval.task,|')).toEqual(['>=', '=', '<=', '>', '<', '!='])
    expect(taken('RLQUERYapproval.task,>|2^ENDRLQUERY', '>=')).toBe('RLQUERYapproval.task,>=2^ENDRLQUERY')
    expect(offered('RLQUERYapproval.task,>=2|')).toEqual(['^', '^ENDRLQUERY', '^JOIN', '^RLQUERY'])
    expect(offered('RLQUERYapproval.task,>=2^deci|')).toEqual(['decided_at'])
    expect(offered('RLQUERYapproval.task,>=2^approver.nam|')).toEqual(['approver.name'])
    expect(offered('RLQUERYapproval.task,>=2^note=x|')).toEqual(['^', '^OR', '^NQ', '^ENDRLQUERY', '^JOIN', '^RLQUERY'])
    expect(offered('RLQUERYapproval.task,>=2^note=x^E|')).toContain('^ENDRLQUERY')
    expect(offered('RLQUERYapproval.task,>=2^note=x^ENDRLQUERY^prio|')).toEqual(['priority'])
    expect(offered('RLQUERYapproval.task,>=2^JOINapproval.|')).toContain('approval.note')
    expect(offered('RLQUERYapproval.task,>=2^JOINapproval.approver=user.sys_id!nam|^ENDRLQUERY')).toEqual(['name'])
  })

  test('the tables that have to be read are those on the way to the cursor, and no others', () => {
    const toRead = (text: string): readonly string[] => tablesToRead(text, text.length, context)
    expect(toRead('prio')).toEqual([])
    expect(toRead('caller.manager.na')).toEqual(['user'])
    expect(toRead('JOINincident.caller=us')).toEqual(['incident'])
    expect(toRead('JOINincident.caller=user.')).toEqual(['incident', 'user'])
    expect(toRead('RLQUERYapproval.task,>=1^approver.na')).toEqual(['approval', 'user'])
    expect(toRead('RLQUERYsecret_log.incident,>=1^na')).toEqual([])
    expect(toRead('JOINincident.caller=unreadable.')).toEqual(['incident'])
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
