import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { emptyLab, type Lab, openLab, recordsOf } from './record-lab.ts'

interface Change {
  readonly operation: 'c' | 'u' | 'd'
  readonly record: string
  readonly changes: Readonly<Record<string, unknown>>
}

describe('what the log says is what happened:', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await openLab()
  })
  afterAll(() => lab.close())
  beforeEach(() => emptyLab(lab.database))

  const logged = () =>
    lab.database.rows<Change>(
      sql`select operation, record_id::text as record, changes from docket_system.change order by position`,
    )

  test('creates, changes and deletes by six writers at once, replayed, give the records that are there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 12 }), { minLength: 6, maxLength: 6 }), async (writers) => {
        await emptyLab(lab.database)
        const made = await Promise.all(
          [0, 1, 2].map((n) =>
            lab.call({ operation: 'create', table: 'lab', body: { title: `record ${n}`, amount: 0, tags: [] } }),
          ),
        )
        const ids = made.map((response) => String(recordsOf(response)[0]?.['sys_id']))
        await Promise.all(
          writers.map(async (steps) => {
            for (const { on, body } of steps) {
              const sysId = ids[on] ?? ''
              await (body === null
                ? lab.call({ operation: 'delete', table: 'lab', sysId })
                : lab.call({ operation: 'patch', table: 'lab', sysId, body }))
            }
          }),
        )
        const replayed = replay(await logged())
        const rows = recordsOf(
          await lab.call({
            table: 'lab',
            parameters: { sysparm_exclude_reference_link: '1', sysparm_fields: `sys_id,${COLUMNS.join(',')}` },
          }),
        )
        expect(new Set(replayed.keys())).toEqual(new Set(rows.map((row) => row['sys_id'])))
        for (const row of rows) {
          const described = replayed.get(String(row['sys_id'])) ?? {}
          expect({ ...EMPTY, ...pick(described) }).toEqual(pick(row))
        }
      }),
      { numRuns: 12 },
    )
  }, 120_000)

  const COLUMNS = ['title', 'amount', 'price', 'tags', 'happened_at', 'flag', 'mood', 'took']
  const EMPTY = Object.fromEntries(COLUMNS.map((name) => [name, null]))
  const pick = (values: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(COLUMNS.map((name) => [name, values[name] ?? null]))

  const step = fc.record({
    on: fc.nat(2),
    body: fc.option(
      fc.record(
        {
          title: fc.string({ maxLength: 5 }),
          amount: fc.record({ increment: fc.integer({ min: -5, max: 5 }) }),
          price: fc.constantFrom('1.50', '-2.00', null),
          tags: fc.record({ add: fc.array(fc.constantFrom('a', 'b"', 'ё'), { maxLength: 2 }) }),
          happened_at: fc.constantFrom('2026-03-01 10:00:00', null),
          flag: fc.boolean(),
          mood: fc.constantFrom('calm', 'Wild', null),
          took: fc.record({ increment: fc.nat(1_000) }),
        },
        { requiredKeys: [] },
      ),
      { freq: 20 },
    ),
  })

  /** Applies the changes in order. The old values of each must be the state after the one before. */
  function replay(changes: readonly Change[]): Map<string, Record<string, unknown>> {
    const records = new Map<string, Record<string, unknown>>()
    for (const { operation, record, changes: described } of changes) {
      const known = records.get(record)
      if (operation === 'c') records.set(record, { ...described })
      else if (known === undefined) throw new Error(`a change of ${record}, which is not there`)
      else if (operation === 'd') {
        expect(pick(described)).toEqual({ ...EMPTY, ...pick(known) })
        records.delete(record)
      } else {
        for (const [name, pair] of Object.entries(described)) {
          const [old, now] = pair as [unknown, unknown]
          expect([name, old]).toEqual([name, known[name] ?? null])
          expect(now).not.toEqual(old)
          known[name] = now
        }
      }
    }
    return records
  }
})

describe('who reads on from a position misses nothing:', () => {
  let fresh: FreshDatabase
  const sessions: pg.Client[] = []
  beforeAll(async () => {
    fresh = await freshDatabase()
    for (let n = 0; n < 4; n += 1) {
      const session = new pg.Client({ connectionString: fresh.connectionString })
      await session.connect()
      sessions.push(session)
    }
  })
  afterAll(async () => {
    await Promise.all(sessions.map((session) => session.end()))
    await fresh.drop()
  })

  type Step =
    | { readonly kind: 'begin' | 'write' | 'commit' | 'rollback' | 'savepoint' | 'undo'; readonly by: number }
    | { readonly kind: 'read' }
  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('begin', 'write', 'write', 'commit', 'rollback', 'savepoint', 'undo'),
        by: fc.nat(3),
      }) as fc.Arbitrary<Step>,
    },
    { weight: 2, arbitrary: fc.constant({ kind: 'read' } as const) },
  )

  test('transactions that overlap in any way, with reads in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
        await fresh.database.rows(sql`truncate docket_system.change`)
        const open = new Map<number, 'plain' | 'saved'>()
        let cursor = '0'
        const seen: string[] = []
        const read = async (): Promise<void> => {
          const rows = await fresh.database.rows<{ position: string }>(
            sql`select position from docket_system.changes_after(${cursor}::bigint, 1000)`,
          )
          seen.push(...rows.map(({ position }) => position))
          cursor = rows.at(-1)?.position ?? cursor
        }
        const end = async (by: number, how: 'commit' | 'rollback'): Promise<void> => {
          await sessions[by]?.query(how)
          open.delete(by)
        }
        for (const each of steps) {
          if (each.kind === 'read') {
            await read()
            continue
          }
          const { kind, by } = each
          const session = sessions[by]
          const state = open.get(by)
          if (kind === 'write') await session?.query(WRITE)
          else if (kind === 'begin' && state === undefined) {
            await session?.query('begin')
            open.set(by, 'plain')
          } else if ((kind === 'commit' || kind === 'rollback') && state !== undefined) await end(by, kind)
          else if (kind === 'savepoint' && state === 'plain') {
            await session?.query('savepoint s')
            open.set(by, 'saved')
          } else if (kind === 'undo' && state === 'saved') await session?.query('rollback to s')
        }
        for (const by of open.keys()) await end(by, 'commit')
        await read()
        const all = await fresh.database.rows<{ position: string }>(
          sql`select position from docket_system.change order by position`,
        )
        expect(seen).toEqual(all.map(({ position }) => position))
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  const WRITE = `insert into docket_system.change (operation, table_id, record_id, changes) values ('u', 1, 1, '{}')`
})
