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
  [{ code: 'long', least: 1 }, 'code'],
  [{ least: 5, most: 4 }, 'least, most'],
  [{ least: 9, code: 'b' }, 'least'],
  [{ price: '123456', least: 1 }, 'price'],
  [{ least: { increment: 2147483647 }, code: 'b' }, 'least'],
  [{ share: 500 }, 'share'],
])('a violation of an adopted table names the column: %j (issue 8, B13)', async (body, field) => {
  const response = await desk.send('PATCH /rest/v1/table/rule/1', body)
  expect([response.status, (errorIn(response) as { field?: string }).field]).toEqual([422, field])
})
