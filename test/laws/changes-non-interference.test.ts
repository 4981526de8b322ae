import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runUngated } from '../../src/kernel/run-gated.ts'
import { sql } from '../../src/kernel/sql.ts'
import { changeEvent } from '../../src/records/changes/change-event.ts'
import { type EventIds, readEventIds } from '../../src/records/changes/event-ids.ts'
import { readHistory } from '../../src/records/changes/read-history.ts'
import { visibleChanges } from '../../src/records/changes/visible-changes.ts'
import { LAB_IDS, naiveWorld, numbersFrom, SHELF_IDS } from './arbitrary-records.ts'
import { naiveRights } from './naive-rights.ts'
import {
  emptyLab,
  insertRows,
  type Lab,
  type LabRow,
  type LabRule,
  MAX_SHRINKS,
  openLab,
  principalOf,
  runs,
  setRules,
} from './record-lab.ts'

/**
 * The law of non-interference for changes of records. An administrator writes two databases that differ only in what a reader may not see
 * at the time. The reader gets the same events, at any time, and the same history. The changes also make records visible and hide
 * them. From the moment at which a record becomes visible, both databases have the same values; the former values differ, and
 * so does the number of changes of hidden data.
 */
let first: Lab
let second: Lab
let ids: EventIds
const reader = principalOf(['reader'])
beforeAll(async () => {
  first = await openLab()
  second = await openLab()
  ids = await readEventIds(first.database)
})
afterAll(async () => {
  await first.close()
  await second.close()
})

const COLUMNS = ['title', 'body', 'amount', 'mood', 'flag', 'tags', 'shelf', 'note'] as const
type ColumnName = (typeof COLUMNS)[number]
const VALUES: Readonly<Record<ColumnName, readonly unknown[]>> = {
  title: [null, 'one', 'two', 'три'],
  body: [null, 'x', 'y'],
  amount: [null, 0, 1, 7],
  mood: [null, 'calm', 'Wild'],
  flag: [true, false],
  tags: [[], ['a'], ['a', 'b']],
  shelf: [null, ...SHELF_IDS.slice(0, 2)],
  note: ['hello', 'a note'],
}

const CONDITIONS = ['', 'ctl=1', 'ctl!=1', 'ctl>0', 'ctl_shelf.ctl_level=1', 'ctl_shelfISEMPTY^ORctl=2']
const condition = fc.constantFrom(...CONDITIONS)
const arbitraryRules: fc.Arbitrary<readonly LabRule[]> = fc
  .record({
    lab: condition,
    part: fc.option(condition),
    columns: fc.array(
      fc.record({
        table: fc.constantFrom('lab', 'lab_part', '*'),
        column: fc.constantFrom<string[]>(...COLUMNS, 'sys_updated_by', 'sys_updated_at', 'ctl'),
        roles: fc.constantFrom<(readonly string[])[]>(['reader'], ['worker']),
        condition,
      }),
      { maxLength: 6 },
    ),
  })
  .map(({ lab, part, columns }) => [
    { operation: 'read', table: 'lab', roles: ['reader'], condition: lab },
    ...(part === null ? [] : [{ operation: 'read', table: 'lab_part', roles: ['reader'], condition: part } as const]),
    ...['sys_history', 'sys_journal_entry', 'lab_shelf'].map(
      (table): LabRule => ({ operation: 'read', table, roles: ['reader'] }),
    ),
    ...columns.map((rule): LabRule => ({ operation: 'read', ...rule })),
  ])

/** Random numbers; the existing records turn them into records and values. */
const arbitrarySteps = fc.array(fc.record({ kind: fc.noBias(fc.nat(9)), choices: fc.noBias(fc.nat(1_000_000)) }), {
  minLength: 1,
  maxLength: 14,
  size: 'max',
})

interface Twin {
  readonly class: 'lab' | 'lab_part'
  readonly first: Record<string, unknown>
  readonly second: Record<string, unknown>
}

interface Play {
  readonly rules: readonly LabRule[]
  readonly records: Map<string, Twin>
  readonly made: string[]
  readonly next: () => number
  /** Whether rows become visible and hidden. */
  readonly moves: boolean
}

const SHELVES: readonly LabRow[] = SHELF_IDS.slice(0, 3).map((id, index) => ({
  class: 'lab_shelf',
  values: { sys_id: id, name: `shelf ${index}`, ctl_level: index },
}))
const pick = <T>(of: readonly T[], number: number): T => of[number % of.length] as T

async function furnish(rules: readonly LabRule[]): Promise<void> {
  for (const lab of [first, second]) {
    await emptyLab(lab.database)
    await insertRows(lab, SHELVES)
    await setRules(lab.database, rules)
  }
}

/** The columns that the reader sees of a record with these values. */
async function seenOf(record: string, twin: Twin, values: Record<string, unknown>, rules: readonly LabRule[]) {
  const { ctl = null, ctl_shelf = null } = values
  const row: LabRow = {
    class: twin.class,
    values: { sys_id: record, ctl: ctl === null ? null : String(ctl), ctl_shelf },
  }
  const shelves = SHELVES.map((shelf) => ({
    ...shelf,
    values: { ...shelf.values, ctl_level: String(shelf.values['ctl_level']) },
  }))
  const rights = naiveRights(rules, ['reader'], await naiveWorld(first, [...shelves, row]))
  const isOpen = rights.mayRow('read', row)
  return (column: string): boolean => isOpen && rights.mayColumn('read', row, column)
}

async function write(
  operation: 'create' | 'patch' | 'delete',
  table: string,
  record: string,
  bodies: readonly unknown[],
) {
  for (const [index, lab] of [first, second].entries()) {
    const body = bodies[index]
    if (body === undefined) continue
    const response = await lab.call({
      operation,
      table,
      ...(operation === 'create' ? {} : { sysId: record }),
      ...(operation === 'delete' ? {} : { body }),
    })
    if (!response.ok) throw new Error(`${operation} ${JSON.stringify(body)}: ${JSON.stringify(response.error)}`)
  }
}

/** One write by an administrator in both databases: the same for all that the reader sees, different for the rest. */
async function take(step: { readonly kind: number }, play: Play): Promise<void> {
  const { records, next, rules, moves } = play
  const standing = [...records.keys()]
  // Each sys_id is used once: if it is used again, the history of the new record also contains that of the old one.
  const fresh = LAB_IDS[play.made.length] ?? ''
  const isNew = step.kind < 3 || standing.length === 0
  if (isNew) play.made.push(fresh)
  const record = isNew ? fresh : pick(standing, next())
  const twin: Twin = records.get(record) ?? { class: pick(['lab', 'lab_part'], next()), first: {}, second: {} }
  if (!isNew && step.kind === 9) {
    await write('delete', 'lab', record, [{}, {}])
    records.delete(record)
    return
  }
  const control: Record<string, unknown> = {}
  if (isNew || (moves && next() % 2 === 0)) control['ctl'] = pick([0, 1, 2], next())
  if (isNew || (moves && next() % 3 === 0)) control['ctl_shelf'] = pick([null, ...SHELF_IDS.slice(0, 3)], next())
  const sees = await seenOf(record, twin, { ...twin.first, ...control }, rules)
  const bodies = [{ ...control }, { ...control }] as [Record<string, unknown>, Record<string, unknown>]
  for (const column of COLUMNS) {
    const [isNamed, number, other] = [next() % 2 === 0, next(), next()]
    const isSame = JSON.stringify(twin.first[column] ?? null) === JSON.stringify(twin.second[column] ?? null)
    if (sees(column)) {
      // From now on the values are equal, whatever they were: possibly only one of the two databases is written.
      if (isNamed) bodies[0][column] = bodies[1][column] = pick(VALUES[column], number)
      else if (!isSame && column !== 'note') bodies[1][column] = twin.first[column] ?? null
      continue
    }
    if (isNamed) bodies[0][column] = pick(VALUES[column], number)
    if (other % 2 === 0) bodies[1][column] = pick(VALUES[column], other)
  }
  const given = bodies.map((body) => (isNew ? { sys_id: record, flag: true, tags: [], ...body } : body))
  await write(isNew ? 'create' : 'patch', twin.class, record, given)
  records.set(record, {
    class: twin.class,
    first: { ...twin.first, ...given[0] },
    second: { ...twin.second, ...given[1] },
  })
}

/** Writes hidden records to one of the two databases only, so that all later sequence numbers differ. */
async function whatNobodySees(lab: Lab, number: number): Promise<void> {
  for (let n = 0; n < number % 3; n += 1) {
    const response = await lab.call({ operation: 'create', table: 'lab_vault', body: { code: `hidden ${number}` } })
    if (!response.ok) throw new Error(JSON.stringify(response.error))
  }
}

let pages = 1_000

async function eventsOf(lab: Lab, after: string) {
  pages += 1
  const [epoch] = await lab.database.rows<{ identity: string }>(sql`select identity::text from docket_system.epoch`)
  const [end] = await lab.database.rows<{ end: string }>(sql`select docket_system.committed_watermark()::text as "end"`)
  const page = await visibleChanges(lab.deps, {
    principal: reader,
    identityEpoch: epoch?.identity ?? '',
    after,
    upTo: end?.end ?? '0',
    tables: null,
    operations: null,
    run: runUngated,
    // A lab restarts the sequence numbers of its log, which never happens in a server: a cached page of the old log must not be used.
    max: pages,
  })
  if (page.kind !== 'changes') throw new Error('a law changed who is who')
  const events = page.changes.map((change) => ({ ...changeEvent(change, ids) }))
  // Ids are encrypted sequence numbers, which reveal nothing. Another test checks that a change always has the same id.
  return { reached: page.reached, described: events.map(({ id: _opaque, ...event }) => event) }
}

const arbitraryPlay = fc.record({ rules: arbitraryRules, steps: arbitrarySteps, choices: fc.noBias(fc.nat(1_000_000)) })

test('events tell the same, whenever they are asked for, though records are opened and closed by what is told', async () => {
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryPlay, MAX_SHRINKS), async ({ rules, steps, choices }) => {
      await furnish(rules)
      const play: Play = { rules, records: new Map(), made: [], next: numbersFrom(choices), moves: true }
      const [followed, other] = [{ reached: '0' }, { reached: '0' }]
      for (const step of steps) {
        await take(step, { ...play, next: numbersFrom(step.choices) })
        await whatNobodySees(second, step.choices)
        if (step.choices % 2 === 0) continue
        const [one, two] = [await eventsOf(first, followed.reached), await eventsOf(second, other.reached)]
        expect(two.described).toEqual(one.described)
        followed.reached = one.reached
        other.reached = two.reached
      }
      // A reader who begins later gets fewer changes, but the same ones from both databases.
      expect((await eventsOf(second, '0')).described).toEqual((await eventsOf(first, '0')).described)
    }),
    runs(25),
  )
}, 300_000)

test('history tells the same: of the records and columns that the reader may read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryPlay, MAX_SHRINKS), async ({ rules, steps, choices }) => {
      await furnish(rules)
      const play: Play = { rules, records: new Map(), made: [], next: numbersFrom(choices), moves: false }
      for (const step of steps) {
        await take(step, { ...play, next: numbersFrom(step.choices) })
        await whatNobodySees(second, step.choices)
      }
      for (const table of ['sys_history', 'sys_journal_entry']) {
        // A sys_id reveals how many records were created before it, as in every table.
        const columns = table === 'sys_history' ? 'old_value,new_value' : 'value'
        const requested = {
          table,
          as: reader,
          parameters: {
            sysparm_fields: `table_id,record_id,column_name,sys_created_by,sys_created_at,${columns}`,
            sysparm_limit: '1000',
          },
        }
        expect({ table, response: await bodyOf(second, requested) }).toEqual({
          table,
          response: await bodyOf(first, requested),
        })
      }
      for (const record of LAB_IDS.slice(0, 15)) {
        const question = {
          principal: reader,
          table: 'lab',
          sysId: record,
          baseUrl: '',
          limit: 100,
          skip: 0,
          before: null,
        }
        const [one, two] = [await readHistory(first.deps, question), await readHistory(second.deps, question)]
        expect(withoutIds(two)).toEqual(withoutIds(one))
      }
    }),
    runs(15),
  )
}, 300_000)

async function bodyOf(lab: Lab, requested: Parameters<Lab['call']>[0]) {
  const response = await lab.call(requested)
  if (!response.ok) return response
  const { 'x-total-count': total } = response.value.headers
  return { total, body: response.value.body }
}

function withoutIds(history: Awaited<ReturnType<typeof readHistory>>) {
  if (!history.ok) return history
  return {
    total: history.value.total,
    changes: history.value.changes.map(({ change: _opaque, ...rest }) => rest),
  }
}
