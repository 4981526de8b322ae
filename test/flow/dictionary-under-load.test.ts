import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import type { Answer } from '../harness/send-request.ts'

let fresh: FreshDatabase
let desks: readonly DictionaryDesk[]
beforeAll(async () => {
  fresh = await freshDatabase()
  desks = [await openDesk({ fresh }), await openDesk({ fresh })]
})
afterAll(async () => {
  for (const desk of desks) await desk.close()
  await fresh.drop()
})

const CLIENTS = 16

test('sixteen clients in two processes read and write while columns come, change and go: nothing fails, nothing is lost, nothing is stale', async () => {
  const [desk] = desks
  if (desk === undefined) throw new Error('no server')
  await desk.table('load')
  await desk.column('load', 'label', 'string')

  /** Columns whose creation was acknowledged and whose deletion has not been asked for. */
  const present = new Set(['label'])
  const written = new Map<string, string>()
  const failures: string[] = []
  let isOver = false

  const client = async (number: number): Promise<void> => {
    const own = desks[number % desks.length]
    if (own === undefined) return
    for (let turn = 0; !isOver; turn += 1) {
      const before = new Set(present)
      const label = `client ${number} turn ${turn}`
      const extra = [...before].filter((name) => name !== 'label' && name.startsWith('text'))
      const values = { label, ...Object.fromEntries(extra.map((name) => [name, '1'])) }
      const made = await own.send('POST /rest/v1/table/load', values)
      const record = recordsIn(made)[0]
      const isGone = extra.some((name) => !present.has(name))
      if (made.status === 200 && record !== undefined) written.set(record['sys_id'] ?? '', label)
      else if (!(made.status === 422 && isGone)) failures.push(`${made.status} ${made.text}`)
      const read = await own.send('GET /rest/v1/table/load?sysparm_limit=3&sysparm_query=ORDERBYDESCsys_id')
      if (read.status !== 200) failures.push(`${read.status} ${read.text}`)
      for (const answer of [made, read]) {
        for (const name of before) {
          const isMissing = recordsIn(answer).some((row) => !(name in row))
          if (isMissing && present.has(name)) failures.push(`${answer.status} without ${name}`)
        }
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_each, number) => client(number))

  for (let round = 0; round < 5; round += 1) {
    const changer = desks[round % desks.length] ?? desk
    const text = await changer.column('load', `text_${round}`, 'string')
    present.add(`text_${round}`)
    await changer.column('load', `owner_${round}`, 'reference', { reference_id: await desk.tableId('user') })
    present.add(`owner_${round}`)
    await changer.column('load', `pick_${round}`, 'choice', { default_value: 'a' })
    present.add(`pick_${round}`)
    const converted = await changer.send(`PATCH /rest/v1/table/sys_db_column/${text}`, {
      column_type_id: await desk.typeId('integer'),
    })
    expect(converted.status).toBe(200)
    if (round % 2 === 0) {
      present.delete(`text_${round}`)
      const dropped = await changer.send(
        `DELETE /rest/v1/table/sys_db_column/${text}?sysparm_confirm=load.text_${round}`,
      )
      expect(dropped.status).toBe(200)
    }
  }
  isOver = true
  await Promise.all(clients)

  expect(failures).toEqual([])
  const kept = await fresh.database.rows<{ id: string; label: string }>(
    sql`select sys_id::text as id, label from docket.load`,
  )
  expect(new Map(kept.map((row) => [row.id, row.label]))).toEqual(written)
})

function recordsIn(answer: Answer): readonly Readonly<Record<string, string>>[] {
  const { data } = answer.body as { data?: readonly Readonly<Record<string, string>>[] }
  return data ?? []
}

test('a change waits for a statement that takes long, and lets readers pass meanwhile', async () => {
  const [desk] = desks
  if (desk === undefined) throw new Error('no server')
  await desk.table('busy')
  await desk.record('busy', {})
  const released = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const report = fresh.database.inTransaction(async (session) => {
    await session.rows(sql`select count(*) from docket.busy`)
    held.resolve()
    await released.promise
  })
  await held.promise
  const change = desk.column('busy', 'late', 'string')
  let isMade = false
  void change.then(() => {
    isMade = true
  })
  // Each is answered: the change lets go of its place in the queue again and again.
  for (let turn = 0; turn < 2; turn += 1) expect(await desk.records('busy', 'sys_db_table_id.name')).toHaveLength(1)
  expect(isMade).toBe(false)
  released.resolve()
  await report
  await change
  expect(await desk.storage('busy')).toEqual({ late: 'text' })
})

test('of changes at once that want the same name one is made, in all processes', async () => {
  const [first] = desks
  if (first === undefined) throw new Error('no server')
  await first.table('contested')
  const body = {
    table_id: await first.tableId('contested'),
    column_name: 'name',
    title: 'Name',
    column_type_id: await first.typeId('string'),
  }
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_each, number) =>
      desks[number % desks.length]?.send('POST /rest/v1/table/sys_db_column', body),
    ),
  )
  expect(answers.map((answer) => answer?.status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
  expect(await first.storage('contested')).toEqual({ name: 'text' })
})
