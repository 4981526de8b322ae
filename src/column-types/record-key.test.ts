import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../test/harness/property-seed.ts'
import { comparedAs, keyOfColumns, OWN_KEY, readSysId } from './record-key.ts'

const of = (...types: readonly string[]) => keyOfColumns(types.map((type, n) => ({ column: `c${n}`, type })))

test('the kind of a key follows from its columns', () => {
  const kinds = [
    ['smallint'],
    ['integer'],
    ['bigint'],
    ['uuid'],
    ['text'],
    ['character varying'],
    ['bpchar'],
    ['crm.citext'],
    ['citext'],
    ['date'],
    ['numeric'],
    ['crm.mycitext'],
    ['integer', 'integer'],
    ['uuid', 'text'],
  ].map((types) => of(...types).kind)
  expect(kinds).toEqual([
    ...['whole', 'whole', 'whole', 'uuid', 'text', 'text', 'text', 'text', 'text'],
    ...['parts', 'parts', 'parts', 'parts', 'parts'],
  ])
  expect([OWN_KEY, of('bpchar'), of('text'), of('crm.citext'), of('bpchar', 'text')].map(comparedAs)).toEqual([
    null,
    'bpchar',
    null,
    'crm.citext',
    null,
  ])
})

describe('a sys_id as it is read', () => {
  test('whole numbers are told without zeros in front', () => {
    expect(['0', '007', '155931135900000001', '999999999999999999'].map((text) => readSysId(text, OWN_KEY))).toEqual([
      '0',
      '7',
      '155931135900000001',
      '999999999999999999',
    ])
    for (const text of ['', '-1', '1.0', ' 1', '1e3', '1000000000000000000', '１', 'x'])
      expect([text, readSysId(text, OWN_KEY)]).toEqual([text, null])
  })

  test('every spelling of a UUID is one', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
        fc.boolean(),
        (uuid, hyphens, isUpper) => {
          const fours = uuid.replaceAll('-', '').match(/.{4}/g) ?? []
          const spelled = fours.map((four, n) => `${four}${hyphens[n] === true ? '-' : ''}`).join('')
          const cased = isUpper ? spelled.toUpperCase() : spelled
          expect([readSysId(cased, of('uuid')), readSysId(`{${cased}}`, of('uuid'))]).toEqual([uuid, uuid])
        },
      ),
    )
    const uuid = '6b0a6f6e-7b0c-4f43-9c0e-0000000000a1'
    for (const text of [
      '',
      '1',
      `${uuid}0`,
      uuid.slice(1),
      `{${uuid}`,
      `${uuid}}`,
      `${uuid}-`,
      ` ${uuid}`,
      uuid.replace('b', 'g'),
      '6b-0a6f6e7b0c4f439c0e0000000000a1',
    ])
      expect([text, readSysId(text, of('uuid'))]).toEqual([text, null])
  })

  test('a text is what it is, but never empty and always storable', () => {
    for (const text of ['a/b', ' x ', '^', '\u0001', '😀']) expect(readSysId(text, of('text'))).toBe(text)
    for (const text of ['', '\0', 'a\0b', '\ud800']) expect(readSysId(text, of('text'))).toBeNull()
  })

  test('several columns are as many parts', () => {
    expect([readSysId('1~a', of('integer', 'text')), readSysId('~', of('text', 'text'))]).toEqual(['1~a', '~'])
    for (const text of ['', '1', '1~a~b', '1~\0']) expect(readSysId(text, of('integer', 'text'))).toBeNull()
  })
})
