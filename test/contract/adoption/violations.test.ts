import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('ledger')
  await desk.adopt()
})
afterAll(() => desk.close())

test.each([
  [{ code: 'long', min: 1 }, 'code'],
  [{ min: 5, max: 4 }, 'least, most'],
  [{ min: 9, code: 'b' }, 'least'],
  [{ price: '123456', min: 1 }, 'price'],
  [{ min: { increment: 2147483647 }, code: 'b' }, 'least'],
  [{ share: 500 }, 'share'],
])('a violation of an adopted table names the column: %j (issue 8, B13)', async (body, field) => {
  const answer = await desk.send('PATCH /rest/v1/table/rule/1', body)
  expect([answer.status, (errorIn(answer) as { field?: string }).field]).toEqual([422, field])
})
