import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dictionaryName, freeColumnName, freeTableName } from './dictionary-name.ts'

test.each([
  ['film', 'film'],
  ['OrderDetails', 'order_details'],
  ['SKU', 'sku'],
  ['Ship To', 'ship_to'],
  ['Заказ', 'zakaz'],
  ['ДатаСоздания', 'data_sozdaniya'],
  ['Подъезд щучий', 'podezd_shchuchiy'],
  ['Größe', 'gro_e'],
  ['café', 'cafe'],
  ['2020_sales', 'n_2020_sales'],
  ['__private__', 'private'],
  ['日本', 'n'],
])('%s of PostgreSQL is %s of the dictionary', (name, expected) => {
  expect(dictionaryName(name)).toBe(expected)
})

test('a table whose name is taken or kept for Docket is called with its schema', () => {
  expect(freeTableName('user', 'crm', new Set(['user']))).toBe('crm_user')
  expect(freeTableName('sys_log', 'crm', new Set())).toBe('crm_sys_log')
  expect(freeTableName('user', 'crm', new Set(['user', 'crm_user']))).toBe('crm_user_2')
})

test('whatever a column is called, its name is one that the dictionary takes and that no other has', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom(...'aZ9_ .ЖщЁüß日#'), maxLength: 80 }), { maxLength: 5 }),
      (names) => {
        const taken = new Set(['sys_id'])
        for (const name of [...names, ...names]) {
          const free = freeColumnName(name, taken)
          expect(free).toMatch(/^[a-z][a-z0-9_]{0,59}$/)
          expect(free.startsWith('sys_')).toBe(false)
          expect(taken.has(free)).toBe(false)
          taken.add(free)
        }
      },
    ),
    { numRuns: 50 },
  )
})
