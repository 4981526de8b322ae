import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxCount, type Period, periodOf, periodText, UNITS } from '../../console/src/list/period.ts'
import { fieldsThrough, fitting } from '../../console/src/table/fields-through.ts'

type Given = readonly [name: string, title: string, target?: string | undefined, type?: string]

/** @param usual names of the columns of the form */
function tableOf(usual: readonly string[], columns: readonly Given[]) {
  const rights = { read: 'always' }
  const entries = columns.map(([name, title, target, type]) => {
    const own = type ?? (target === undefined ? 'string' : 'reference')
    return [name, { name, title, type: own, target: target ?? null, rights }] as const
  })
  return { columns: new Map(entries), views: new Map([['Default view', { sections: [{ columns: usual }] }]]) }
}

const user = tableOf(
  ['company'],
  [
    ['sys_company', 'Company of the system'],
    ['parent_company', 'Parent company'],
    ['boss', 'Boss', 'user'],
    ['company', 'Company', 'company'],
    ['company_code', 'Company code'],
    ...Array.from({ length: 60 }, (_, at): Given => [`badge_${at}`, `Badge ${at}`, undefined, 'image']),
    ['badge_name', 'Badge name'],
  ],
)
const tables: Readonly<Record<string, ReturnType<typeof tableOf>>> = { user, company: tableOf([], [['city', 'City']]) }
const pathOf = ({ via, column }: { via: readonly { name: string }[]; column: { name: string } }): string =>
  [...via, column].map(({ name }) => name).join('.')
const incident = tableOf(['caller'], [['caller', 'Caller', 'user']])
const all = (): boolean => true

function pathsOf(text: string, hops = 5, isOffered: (field: { column: { type: string } }) => boolean = all) {
  return fieldsThrough(incident, text, (name) => tables[name], hops, isOffered).found.map(pathOf)
}

describe('fields by the words of their paths (issue 13)', () => {
  test('titles that begin with the last words come first, then the columns of the form, the others, those of the system', () => {
    expect(pathsOf('caller comp')).toEqual([
      'caller.company',
      'caller.company_code',
      'caller.sys_company',
      'caller.parent_company',
    ])
    expect(fitting(user, 'comp').map(({ name }) => name)).toEqual([
      'company',
      'company_code',
      'sys_company',
      'parent_company',
    ])
  })

  test('of equal ones, the shorter path comes first', () => {
    expect(pathsOf('caller boss company').slice(0, 2)).toEqual(['caller.boss.company', 'caller.boss.company_code'])
    expect(pathsOf('caller boss boss comp')[0]).toBe('caller.boss.boss.company')
  })

  test('fields that are not offered take no place of others', () => {
    expect(pathsOf('caller badge', 5, ({ column }) => column.type !== 'image')).toEqual(['caller.badge_name'])
    expect(pathsOf('caller badge')).toHaveLength(50)
  })

  test('no path has more references than are left', () => {
    expect(pathsOf('caller company', 0)).toEqual([])
    expect(fieldsThrough(incident, 'caller company', () => undefined, 0, all).missing).toEqual([])
    expect(pathsOf('caller company city', 1)).toEqual([])
    expect(pathsOf('caller company city', 2)).toEqual(['caller.company.city'])
    fc.assert(
      fc.property(fc.nat(6), fc.array(fc.constantFrom('caller', 'boss', 'company', 'city')), (hops, words) => {
        const { found } = fieldsThrough(incident, words.join(' '), (name) => tables[name], hops, all)
        for (const { via } of found) expect(via.length).toBeLessThanOrEqual(hops)
      }),
    )
  })
})

const empty: Period = { side: 'Last', count: '', unit: 'day', from: '', to: '' }

describe('periods in the fields of a condition (issue 13)', () => {
  test('quarters are a unit', () => {
    expect(periodOf('Last 2 quarters')).toEqual({ ...empty, count: '2', unit: 'quarter' })
    expect(periodText({ ...empty, side: 'Next', count: '1', unit: 'quarter' })).toBe('Next 1 quarters')
  })

  test.each(['Last 1000 days', 'Last 0 days', 'Last 3 decades', 'Last 2 fortnights', '@2026-02-01@2026-01-31'])(
    'what the fields cannot hold leaves them empty, so that the condition can be applied: %s',
    (value) => {
      expect(periodOf(value)).toEqual(empty)
    },
  )

  test.each([
    { count: '1.5' },
    { count: '0' },
    { count: '-1' },
    { count: '1000' },
    { count: 'x' },
    { from: '2026-02-01', to: '2026-01-31' },
    { to: '2026-01-31' },
    {},
  ])('what is no period is no value: %j', (typed) => {
    expect(periodText({ ...empty, ...typed })).toBe('')
  })

  test('what the fields mean opens in them again', () => {
    const count = fc.record({
      side: fc.constantFrom('Last', 'Next'),
      count: fc.integer({ min: 1, max: maxCount }).map(String),
      unit: fc.constantFrom(...UNITS),
      from: fc.constant(''),
      to: fc.constant(''),
    })
    const day = fc
      .date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
    const days = fc
      .tuple(day, day)
      .map((both) => both.toSorted())
      .map(([from = '', to = '']): Period => ({ ...empty, from, to: from === to ? '' : to }))
    fc.assert(
      fc.property(fc.oneof(count, days), (typed) => {
        expect(periodOf(periodText(typed))).toEqual(typed)
        // As the server reads it: in any case.
        expect(periodOf(periodText(typed).toUpperCase())).toEqual(typed)
        expect(periodOf(periodText(typed).toLowerCase())).toEqual(typed)
      }),
    )
  })
})
