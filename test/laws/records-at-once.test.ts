import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LAB_IDS } from './arbitrary-records.ts'
import { emptyLab, insertRows, type Lab, openLab, recordsOf } from './record-lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

const sysId = LAB_IDS[0] ?? ''
const HOW_MANY = 50
const numbers = Array.from({ length: HOW_MANY }, (_, index) => index)

beforeEach(async () => {
  await emptyLab(lab.database)
  await insertRows(lab, [{ class: 'lab', values: { sys_id: sysId, amount: 0, body: '', tags: [], took: '0' } }])
})

const patch = (body: unknown, ifMatch?: string) =>
  lab.call({ operation: 'patch', table: 'lab', sysId, body, ...(ifMatch !== undefined && { ifMatch }) })
const read = () => lab.call({ operation: 'read', table: 'lab', sysId })
const recordNow = async () => recordsOf(await read())[0]

test('of fifty increments at once every one counts', async () => {
  const responses = await Promise.all(
    numbers.map((n) => patch({ amount: { increment: n }, took: { increment: 1_000 } })),
  )
  expect(responses.every((response) => response.ok)).toBe(true)
  expect(await recordNow()).toMatchObject({ amount: (HOW_MANY * (HOW_MANY - 1)) / 2, took: String(HOW_MANY * 1_000) })
  // Each response has the value after its own increment, so all are different.
  expect(new Set(responses.map((response) => recordsOf(response)[0]?.['took'])).size).toBe(HOW_MANY)
})

test('of fifty texts appended and prepended at once none is lost', async () => {
  await Promise.all(numbers.map((n) => patch({ body: n % 2 === 0 ? { append: `<${n}>` } : { prepend: `<${n}>` } })))
  const words = String((await recordNow())?.['body']).match(/<\d+>/g) ?? []
  expect(words.toSorted()).toEqual(numbers.map((n) => `<${n}>`).toSorted())
})

test('of fifty members added to a list at once each is there once, and what was removed is not', async () => {
  await patch({ tags: { set: ['old', 'older'] } })
  await Promise.all(numbers.map((n) => patch({ tags: { add: [`t${n}`, 'same'], remove: ['old'] } })))
  const tags = (await recordNow())?.['tags'] as readonly string[]
  expect(tags.toSorted()).toEqual(['older', 'same', ...numbers.map((n) => `t${n}`)].toSorted())
})

test('of fifty journal messages at once every one is an entry', async () => {
  await Promise.all(numbers.map((n) => patch({ note: { message: `message ${n}` } })))
  const response = await lab.call({
    table: 'sys_journal_entry',
    parameters: { sysparm_query: `record_id=${sysId}`, sysparm_limit: '100', sysparm_fields: 'value' },
  })
  const values = recordsOf(response).map((entry) => entry['value'])
  expect(values.toSorted()).toEqual(numbers.map((n) => `message ${n}`).toSorted())
})

test('of ten writers who have read the same record exactly one wins, and the others are told', async () => {
  for (let round = 0; round < 5; round += 1) {
    const seen = await read()
    const etag = seen.ok ? (seen.value.headers['etag'] ?? '') : ''
    const responses = await Promise.all(
      numbers.slice(0, 10).map((n) => patch({ title: `round ${round} by ${n}` }, etag)),
    )
    const winners = responses.filter((response) => response.ok)
    expect(winners.length).toBe(1)
    expect(responses.filter((response) => !response.ok && response.error.kind === 'stale').length).toBe(9)
    expect((await recordNow())?.['title']).toBe(winners.map((response) => recordsOf(response)[0]?.['title'])[0])
  }
})

test('of a delete and nine writes of the same state exactly one wins', async () => {
  const seen = await read()
  const etag = seen.ok ? (seen.value.headers['etag'] ?? '') : ''
  const responses = await Promise.all([
    lab.call({ operation: 'delete', table: 'lab', sysId, ifMatch: etag }),
    ...numbers.slice(0, 9).map((n) => patch({ title: `by ${n}` }, etag)),
  ])
  expect(responses.filter((response) => response.ok).length).toBe(1)
  const others = responses
    .filter((response) => !response.ok)
    .map((response) => (response.ok ? '' : response.error.kind))
  expect(others.every((kind) => kind === 'stale' || kind === 'record-not-found')).toBe(true)
})

test('fifty records created at once have fifty sys_ids', async () => {
  const responses = await Promise.all(
    numbers.map((n) => lab.call({ operation: 'create', table: 'lab_part', body: { title: `made ${n}` } })),
  )
  expect(new Set(responses.map((response) => recordsOf(response)[0]?.['sys_id'])).size).toBe(HOW_MANY)
})
