import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEncodedQuery } from '../../src/condition/parse-encoded-query.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import { foldCase, idsWhere, type NaiveWorld } from './naive-evaluator.ts'

/** Wednesday, 17:25:36 in Moscow. */
const world: NaiveWorld = {
  moment: { nowMs: Date.parse('2026-03-11T14:25:36Z'), timeZone: 'Europe/Moscow' },
  user: { id: '11', userName: 'anna', groupIds: ['71', '72'] },
  parentOf: { itsm_incident: 'itsm_task', itsm_task: 'task' },
  tables: {
    task: {
      displayColumn: 'subject',
      columns: {
        sys_id: { type: 'bigint' },
        subject: { type: 'text' },
        note: { type: 'text' },
        state: { type: 'choice' },
        priority: { type: 'number' },
        active: { type: 'boolean' },
        opened_at: { type: 'datetime' },
        closed_at: { type: 'datetime' },
        due_date: { type: 'date' },
        assigned_user: { type: 'reference', table: 'user' },
        group: { type: 'reference', table: 'group' },
        followers: { type: 'list' },
        class: { type: 'class' },
      },
      rows: [
        {
          sys_id: '1',
          subject: 'Почта 50% (не работает)',
          note: '',
          state: 'New',
          priority: 1,
          active: true,
          opened_at: '2026-03-10 22:30:00',
          closed_at: '2026-03-11 08:00:00',
          due_date: '2026-03-12',
          assigned_user: '11',
          group: '71',
          followers: ['11', '12'],
          class: 'itsm_incident',
        },
        {
          sys_id: '2',
          subject: 'printer_A',
          note: 'PRINTER_a',
          state: 'new',
          priority: 2.5,
          active: false,
          opened_at: '2026-03-09 23:59:59',
          closed_at: null,
          due_date: '2026-03-11',
          assigned_user: '12',
          group: null,
          followers: [],
          class: 'task',
        },
        // Everything is missing here.
        {
          sys_id: '3',
          subject: null,
          note: null,
          state: null,
          priority: null,
          active: null,
          opened_at: null,
          closed_at: null,
          due_date: null,
          assigned_user: null,
          group: null,
          followers: null,
          class: 'task',
        },
      ],
    },
    user: {
      displayColumn: 'name',
      columns: { sys_id: { type: 'bigint' }, name: { type: 'text' }, manager: { type: 'reference', table: 'user' } },
      rows: [
        { sys_id: '11', name: 'Анна', manager: '12' },
        { sys_id: '12', name: null, manager: '99' },
      ],
    },
    group: { displayColumn: 'name', columns: { name: { type: 'text' } }, rows: [{ sys_id: '71', name: 'Support' }] },
  },
}

function idsOf(text: string): string {
  const query = parseEncodedQuery(text)
  if (!query.ok) throw new Error(`${text}: ${query.error.detail}`)
  return idsWhere(query.value.where, 'task', world).join(' ')
}

describe('what a condition picks of three rows, the third of them without values', () => {
  const examples: [query: string, ids: string][] = [
    ['', '1 2 3'],
    ['subject=ПОЧТА 50% (НЕ РАБОТАЕТ)', '1'],
    ['subject!=Printer_A', '1 3'],
    ['subjectLIKE50%', '1'],
    ['subjectLIKEr_a', '2'],
    ['subjectLIKE%', '1'],
    ['subjectNOT LIKEпочта', '2 3'],
    ['subjectSTARTSWITHпо', '1'],
    ['subjectNOTSTARTSWITHпо', '2 3'],
    ['subjectENDSWITH_a', '2'],
    ['stateINNEW,old', '1 2'],
    ['stateNOT INnew', '3'],
    ['noteISEMPTY', '1 3'],
    ['noteISNOTEMPTY', '2'],
    ['noteEMPTYSTRING', '1'],
    ['noteANYTHING', '1 2 3'],
    ['followersISEMPTY', '2 3'],
    ['priority=1', '1'],
    ['priority<2.5', '1'],
    ['priority>=2.5', '2'],
    ['priorityBETWEEN1@2', '1'],
    ['active=1', '1'],
    ['active!=true', '2 3'],
    ['sys_id=2', '2'],
    ['sys_id>1', '2 3'],
    ['opened_at>2026-03-10', '1'],
    ['opened_at<=2026-03-10 22:30:00', '1 2'],
    ['opened_atONToday', '1'],
    ['opened_atONYesterday', '2'],
    ['opened_atNOTONToday', '2 3'],
    ['due_dateONToday', '2'],
    ['due_date>javascript:gs.now()', '1'],
    ['opened_atRELATIVEGE@day@ago@0', '1'],
    ['opened_atRELATIVELT@day@ago@0', '2'],
    ['opened_atDATEPARTday@11', '1'],
    ['opened_atDATEPARThour@2', '2'],
    ['opened_atDATEPARTweekday@wed', '1'],
    ['opened_atDATEPARTweek@11', '1 2'],
    ['opened_atDATEPARTquarter@NE@1', ''],
    ['closed_atGT_FIELDopened_at', '1'],
    ['closed_atLT_OR_EQUALS_FIELDopened_at', ''],
    ['subjectSAMEASnote', '2'],
    ['subjectNSAMEASnote', '1 3'],
    ['followersHAS12', '1'],
    ['followersHASNOT12', '2 3'],
    ['followersHAS11,12', '1'],
    ['followersHAS11,13', ''],
    ['followersHASNOT11,13', '2 3'],
    ['followers=12@11', '1'],
    ['followers=11', ''],
    ['followers!=11,12', '2 3'],
    ['assigned_user=javascript:gs.getUserID()', '1'],
    ['assigned_userDYNAMICme', '1'],
    ['groupDYNAMICmygroups', '1'],
    ['group=javascript:gs.getUser().getMyGroups()', '1'],
    ['groupINjavascript:gs.getUser().getMyGroups()', '1'],
    ['groupLIKEsupp', '1'],
    ['assigned_user.name=анна', '1'],
    ['assigned_user.nameISEMPTY', '2 3'],
    ['assigned_user.manager.nameISEMPTY', '1 2 3'],
    ['assigned_user.manager=12', '1'],
    ['classINSTANCEOFitsm_task', '1'],
    ['classINSTANCEOFtask', '1 2 3'],
    ['state=new^priority=1^ORpriority=2.5', '1 2'],
    ['(state=new^priority=1)^ORsys_id=3', '1 3'],
    ['state=new^priority=1^NQsys_id=3', '1 3'],
  ]
  test.each(examples)('%s', (query, ids) => {
    expect(idsOf(query)).toBe(ids)
  })

  test('a value that the type does not take throws', () => {
    expect(() => idsOf('priority=high')).toThrow('high is no number')
    expect(() => idsOf('opened_at>yesterday')).toThrow('Expected a date and time')
  })
})

describe('laws', () => {
  const value = fc.constantFrom('new', 'почта', 'r_a', '', '%', '1')
  const pairs: [is: string, isNot: string][] = [
    ['subject=x', 'subject!=x'],
    ['subjectIN', 'subjectNOT IN'],
    ['subjectLIKE', 'subjectNOT LIKE'],
    ['assigned_user.nameSTARTSWITH', 'assigned_user.nameNOTSTARTSWITH'],
    ['followersHASx', 'followersHASNOTx'],
  ]

  test('each row is picked either by an operator or by the one that negates it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pairs), value, ([is, isNot], requested) => {
        const picked = [idsOf(is + requested), idsOf(isNot + requested)].join(' ').trim().split(/ +/)
        expect(picked.toSorted()).toEqual(['1', '2', '3'])
      }),
    )
  })

  test('printing a query does not change what it picks', () => {
    const part = fc.constantFrom('state=new', 'priority>1', 'noteISEMPTY', 'assigned_user.name=анна', 'sys_id=3')
    const joint = fc.constantFrom('^', '^OR', '^NQ')
    const bracketed = fc.tuple(part, joint, part).map((parts) => `(${parts.join('')})`)
    const more = fc.array(
      fc.tuple(joint, fc.oneof(part, bracketed)).map((parts) => parts.join('')),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(part, more, (first, rest) => {
        const text = [first, ...rest].join('')
        const query = parseEncodedQuery(text)
        if (!query.ok) throw new Error(query.error.detail)
        expect(idsOf(printEncodedQuery(query.value))).toBe(idsOf(text))
      }),
    )
  })

  test('folding case keeps the number of letters and is done when done once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const folded = foldCase(text)
        expect([...folded].length).toBe([...text].length)
        expect(foldCase(folded)).toBe(folded)
      }),
    )
  })
})
