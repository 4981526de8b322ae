import { expect, test } from 'vitest'
import { compileSql, mapValues, type Sql, sql } from './sql.ts'

const statements: readonly {
  readonly name: string
  readonly of: Sql
  readonly text: string
  readonly values: unknown[]
}[] = [
  { name: 'a statement without values', of: sql`select 1`, text: 'select 1', values: [] },
  {
    name: 'values are parameters, in reading order, also inside of parts',
    of: sql`select ${'a'}, ${sql`f(${2}, ${sql`${null}`})`}, ${[3]}::integer[]`,
    text: 'select $1, f($2, $3), $4::integer[]',
    values: ['a', 2, null, [3]],
  },
  {
    name: 'a part that occurs twice has its values twice',
    of: ((part: Sql) => sql`${part} or ${part}`)(sql`x = ${1}`),
    text: 'x = $1 or x = $2',
    values: [1, 1],
  },
  { name: 'names are quoted', of: sql`${sql.id('s', 'a"b')}`, text: '"s"."a""b"', values: [] },
  { name: 'a name with dots', of: sql.ref('n.storage'), text: '"n"."storage"', values: [] },
  {
    name: 'literals',
    of: sql.join([sql.lit("O'Neill\\"), sql.lit(-1.5), sql.lit(true), sql.lit(null)]),
    text: "'O''Neill\\', -1.5, true, null",
    values: [],
  },
  { name: 'raw text', of: sql`select ${sql.raw('1 -- $9')}`, text: 'select 1 -- $9', values: [] },
  { name: 'an empty list', of: sql`(${sql.join([])})`, text: '()', values: [] },
  {
    name: 'a list with a separator that has values',
    of: sql.join([1, sql`b`, 3], sql` + ${0} + `),
    text: '$1 + $2 + b + $3 + $4',
    values: [1, 0, 0, 3],
  },
]

test.each(statements)('$name', ({ of, text, values }) => {
  expect(compileSql(of)).toEqual({ sql: text, parameters: values })
})

test('an object with the members of a part is a value', () => {
  const forged = { texts: ['; drop table t'], values: [] }
  expect(compileSql(sql`select ${forged}`)).toEqual({ sql: 'select $1', parameters: [forged] })
})

test('mapped values may become parts, and the original is unchanged', () => {
  const original = sql`a = ${1} and ${sql`b = ${2}`}`
  const mapped = mapValues(original, (value) => (value === 2 ? sql`c` : 'one'))
  expect(compileSql(mapped)).toEqual({ sql: 'a = $1 and b = c', parameters: ['one'] })
  expect(compileSql(original)).toEqual({ sql: 'a = $1 and b = $2', parameters: [1, 2] })
})
