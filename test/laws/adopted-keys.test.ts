import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdoptionDesk, openAdoptionDesk } from '../contract/adoption/adoption-desk.ts'
import '../harness/property-seed.ts'

/** A key of any kind identifies its record everywhere: in links, conditions, history and deletions. */

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('law')
  await desk.adopt()
  for (const kind of Object.keys(kinds))
    await desk.send(`PATCH /rest/v1/table/sys_db_table/${await desk.tableId(`of_${kind}`)}`, { is_audit: true })
})
afterAll(() => desk.close())

type Values = Readonly<Record<string, string | number | boolean>>
interface Key {
  /** The body of the create of a record. */
  readonly given: Values
  /** The body of the create of a record that refers to it; null: no record refers to it. */
  readonly reference: Values | null
  /** Another spelling of the same sys_id. */
  readonly fallback: (sysId: string) => string
}

const NASTY = [
  '.',
  '..',
  'a/b',
  '%2F',
  '?',
  '#',
  '^',
  '^^',
  'a@b',
  'a,b',
  'javascript:gs.now()',
  '~',
  '!',
  '!7E',
  '"',
  "'",
  '\\',
  '\n',
  ' ',
  'ORDERBY',
  '(',
  ')',
]
const anyText = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength }),
      fc.string({
        unit: fc.constantFrom(...NASTY.filter((text) => text.length === 1), 'a', 'Ж', '😀'),
        minLength: 1,
        maxLength,
      }),
      fc.constantFrom(...NASTY.filter((text) => text.length <= maxLength)),
    )
    // PostgreSQL texts cannot contain U+0000.
    .filter((text) => !text.includes('\0'))
/** Trailing spaces are not part of a `char` value. */
const fixedText = (maxLength: number) =>
  anyText(maxLength)
    .map((text) => text.replace(/ +$/, '') || 'x')
    .filter((text) => [...text].length <= maxLength)
const same = (sysId: string): string => sysId
const texts = (text: fc.Arbitrary<string>) =>
  text.map((id): Key => ({ given: { sys_id: id }, reference: { target: id }, fallback: same }))
const foldedText = fc.string({
  unit: fc.constantFrom('a', 'B', 'я', '/', '%', '!', '~', '^', '@', ','),
  minLength: 1,
  maxLength: 12,
})
const uuid = fc.uuid()
const spelledUuid = fc.tuple(uuid, fc.nat(3)).map(([id, way]) => {
  const ways = [id, id.toUpperCase(), `{${id}}`, id.replaceAll('-', '')]
  return ways[way] ?? id
})
const two = (number: number): string => String(number).padStart(2, '0')
const day = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, date]) => `${String(year).padStart(4, '0')}-${two(month)}-${two(date)}`)
const time = fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59)).map((parts) => parts.map(two).join(':'))

const kinds: Readonly<Record<string, fc.Arbitrary<Key>>> = {
  uuid: fc.tuple(spelledUuid, fc.boolean()).map(([id, isUpper]) => ({
    given: { sys_id: id },
    reference: { target: id },
    fallback: (sysId) => (isUpper ? sysId.toUpperCase() : sysId.replaceAll('-', '')),
  })),
  text: texts(anyText(80)),
  varchar: texts(anyText(80)),
  char: texts(fixedText(12)),
  citext: fc
    .tuple(
      fc.string({
        unit: fc.constantFrom('a', 'B', 'я', 'Ю', '/', '%', ' ', '^', '@', ','),
        minLength: 1,
        maxLength: 12,
      }),
    )
    .map(([id]) => ({
      given: { sys_id: id },
      reference: { target: id },
      fallback: (sysId) => sysId.toUpperCase(),
    })),
  // A case-insensitive collation.
  folded: foldedText.map((id) => ({
    given: { sys_id: id },
    reference: { target: id },
    fallback: (sysId) => sysId.toUpperCase(),
  })),
  fold_parts: fc.tuple(foldedText, fc.nat(3)).map(([id, number]) => ({
    given: { id, number },
    reference: null,
    fallback: (sysId) => sysId.toUpperCase(),
  })),
  parts: fc.tuple(anyText(40), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })).map(([code, number]) => ({
    given: { code, number },
    reference: { code, number },
    fallback: same,
  })),
  many: fc
    .record({
      day,
      amount: fc.integer({ min: -999_999, max: 999_999 }).map((n) => (n / 100).toFixed(2)),
      at: fc.tuple(day, time).map((parts) => parts.join(' ')),
      owner: spelledUuid,
      letters: fixedText(8),
      flag: fc.boolean(),
      big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    })
    .map((given) => ({
      given,
      reference: null,
      fallback: (sysId) => sysId.replace('true', 't').replace('false', 'f'),
    })),
}

const dataOf = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  if (response.status !== 200) throw new Error(`${line} ${JSON.stringify(body)}: ${response.status} ${response.text}`)
  return (response.body as { data: readonly Readonly<Record<string, unknown>>[] }).data
}

test.each(Object.entries(kinds))(
  'a key of kind %s',
  async (kind, keys) => {
    const table = `/rest/v1/table/of_${kind}`
    await fc.assert(
      fc.asyncProperty(keys, async ({ given, reference, fallback }) => {
        const made = await desk.send(`POST ${table}`, { ...given, note: 'first' })
        expect([made.status, made.text]).toEqual([200, expect.any(String)])
        const sysId = (made.body as { data: readonly { readonly sys_id: string }[] }).data[0]?.sys_id ?? ''
        const location = new URL(String(made.headers['location']))
        const path = `${table}/${encodeURIComponent(sysId)}`
        expect(String(made.headers['location'])).toBe(`${desk.docket.baseUrl}${path}`)
        expect(location.origin).toBe(desk.docket.baseUrl)

        const [read] = await dataOf(`GET ${path}`)
        expect(read).toMatchObject({ sys_id: sysId, note: 'first' })
        expect(await dataOf(`GET ${table}/${encodeURIComponent(fallback(sysId))}`)).toEqual([read])
        if (given['sys_id'] !== undefined && kind !== 'uuid') expect(sysId).toBe(given['sys_id'])

        const condition = (column: string, id: string) => encodeURIComponent(`${column}=${id.replaceAll('^', '^^')}`)
        for (const id of [sysId, fallback(sysId)]) {
          expect(await dataOf(`GET ${table}?sysparm_query=${condition('sys_id', id)}`)).toEqual([read])
        }
        const all = await dataOf(
          `GET ${table}?sysparm_query=${encodeURIComponent('sys_idISNOTEMPTY')}&sysparm_fields=sys_id`,
        )
        expect(all).toEqual([{ sys_id: sysId }])

        if (reference !== null) {
          const column = kind === 'parts' ? 'of_parts' : 'target'
          const [from] = await dataOf(
            `POST /rest/v1/table/to_${kind}?sysparm_fields=sys_id,${column},${column}.note`,
            reference,
          )
          const { value, link } = (from?.[column] ?? {}) as { readonly value: string; readonly link: string }
          expect([value, from?.[`${column}.note`]]).toEqual([sysId, 'first'])
          expect(await dataOf(`GET ${link.slice(desk.docket.baseUrl.length)}`)).toEqual([read])
          const found = await dataOf(
            `GET /rest/v1/table/to_${kind}?sysparm_fields=sys_id&sysparm_query=${condition(column, fallback(sysId))}`,
          )
          expect(found).toEqual([{ sys_id: from?.['sys_id'] }])
          await dataOf(`DELETE /rest/v1/table/to_${kind}/${String(from?.['sys_id'])}`)
        }

        expect(await dataOf(`PATCH ${path}`, { ...read, note: 'second' })).toEqual([{ ...read, note: 'second' }])
        const history = await dataOf(`GET /rest/v1/history/of_${kind}/${encodeURIComponent(fallback(sysId))}`)
        expect(history.slice(0, 2).map(({ operation }) => operation)).toEqual(['update', 'create'])
        const logged = await dataOf(
          `GET /rest/v1/table/sys_history?sysparm_limit=1&sysparm_query=${condition('record_id', sysId)}^ORDERBYDESCsys_id`,
        )
        expect(logged).toMatchObject([{ record_id: sysId, old_value: 'first', new_value: 'second' }])

        expect((await desk.send(`DELETE ${path}`)).status).toBe(200)
        expect((await desk.send(`GET ${path}`)).status).toBe(404)
        expect((await dataOf(`GET /rest/v1/history/of_${kind}/${encodeURIComponent(sysId)}`))[0]).toMatchObject({
          operation: 'delete',
        })
      }),
      { numRuns: 40 },
    )
  },
  120_000,
)

test.each(Object.entries(kinds))(
  'pages by cursor of keys of kind %s hold each once, in the order of the whole',
  async (kind, keys) => {
    const table = `/rest/v1/table/of_${kind}`
    const pages = fc.record({
      all: fc.array(keys, { minLength: 1, maxLength: 12 }),
      limit: fc.integer({ min: 1, max: 5 }),
      order: fc.constantFrom('', 'ORDERBYDESCsys_id', 'ORDERBYnote', 'ORDERBYDESCnote'),
    })
    await fc.assert(
      fc.asyncProperty(pages, async ({ all, limit, order }) => {
        for (const [n, { given }] of all.entries()) {
          // If two keys are equal, the second one is rejected.
          const { status } = await desk.send(`POST ${table}`, { ...given, note: n % 3 === 0 ? null : `n${n % 2}` })
          expect([200, 409]).toContain(status)
        }
        const whole = await dataOf(`GET ${table}?sysparm_fields=sys_id&sysparm_limit=100&sysparm_query=${order}`)
        const paged: unknown[] = []
        for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
          const response = await desk.send(
            `GET ${table}?sysparm_fields=sys_id&sysparm_limit=${limit}&sysparm_cursor=${cursor}&sysparm_query=${order}`,
          )
          paged.push(...(response.body as { data: readonly unknown[] }).data)
          cursor = response.headers['x-next-cursor'] as string | undefined
        }
        expect(paged).toEqual(whole)
        for (const { sys_id: id } of whole) await dataOf(`DELETE ${table}/${encodeURIComponent(String(id))}`)
        expect(await dataOf(`GET ${table}`)).toEqual([])
      }),
      { numRuns: 15 },
    )
  },
  120_000,
)
