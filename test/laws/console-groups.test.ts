import type { Cell } from 'docket-client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergeEqual } from '../../console/src/list/equal-groups.ts'
import { queryOfGroup } from '../../console/src/list/list-query.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type Stage, setStage } from '../contract/records/fixture.ts'

/** Groups of lists in the console (issue 13): the number beside a group is that of the records that it opens to. */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([sql`alter table docket.probe disable trigger all`])
})
afterAll(() => stage.close())

const word = fc.constantFrom(
  'vpn',
  'VPN',
  'Vpn',
  'σας',
  'ΣΑΣ',
  'σασ',
  'i',
  'I',
  'İ',
  'ı',
  'ß',
  'ẞ',
  'É',
  'é',
  'ǅ',
  'ǆ',
  'K',
)
const text = fc.oneof(word, fc.constantFrom('', ' ', 'javascript:1', '^OR', 'a,b'))
const member = fc.constantFrom('a', 'A', 'b', 'c')
const COLUMNS: Readonly<Record<string, { readonly type: string; readonly values: fc.Arbitrary<string | null> }>> = {
  title: { type: 'string', values: text },
  c_text: { type: 'text', values: fc.option(text) },
  c_choice: { type: 'choice', values: fc.option(fc.oneof(word, fc.constantFrom('1', '2'))) },
  c_list: { type: 'list', values: fc.option(fc.array(member).map((each) => `{${each.join()}}`)) },
  c_reference: { type: 'reference', values: fc.option(fc.constantFrom('201', '202')) },
  c_boolean: { type: 'boolean', values: fc.option(fc.constantFrom('true', 'false')) },
  c_integer: { type: 'integer', values: fc.option(fc.constantFrom('0', '10')) },
  c_datetime: {
    type: 'datetime',
    values: fc.option(fc.constantFrom('2026-03-02 10:00:00', '2026-03-02 10:00:00.25', '2026-03-02 10:00:01')),
  },
}
const names = Object.keys(COLUMNS)
const arbitraryRow = fc.record(Object.fromEntries(Object.entries(COLUMNS).map(([name, { values }]) => [name, values])))

test('the number of a group is that of the records that it opens to, and each record is in one group', async () => {
  const insert = (row: Readonly<Record<string, string | null>>, at: number) =>
    sql`insert into docket.probe (sys_id, ${sql.join(names.map((name) => sql.id(name)))})
      values (${String(5_000 + at)}, ${sql.join(names.map((name) => sql`${row[name] ?? null}`))})`
  const data = async (path: string): Promise<readonly unknown[]> => {
    const { status, body } = await stage.send('admin', `GET ${path}`)
    expect({ path, status, body }).toMatchObject({ status: 200 })
    return (body as { data: readonly unknown[] }).data
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRow, { minLength: 1, maxLength: 14 }),
      fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }),
      async (rows, paths) => {
        await stage.run(sql`delete from docket.probe`)
        for (const [at, row] of rows.entries()) await stage.run(insert(row, at))
        const parameters = 'sysparm_display_value=all&sysparm_exclude_reference_link=1'
        const counted = (await data(`/rest/v1/stats/probe?sysparm_group_by=${paths.join()}&${parameters}`)) as {
          group: Record<string, Cell>
          count: number
        }[]
        const groups = mergeEqual(
          counted.map(({ group, count }) => ({
            values: paths.map((path) => group[path] ?? { value: null, display_value: null }),
            count,
          })),
          paths.map((path) => COLUMNS[path]?.type ?? ''),
        )
        const found: unknown[] = []
        for (const { values, count } of groups) {
          const query = encodeURIComponent(queryOfGroup('', paths, values))
          const records = await data(`/rest/v1/table/probe?sysparm_query=${query}&sysparm_fields=sys_id`)
          expect({ values, count }).toEqual({ values, count: records.length })
          found.push(...records.map((record) => (record as { sys_id: unknown }).sys_id))
        }
        expect(found.toSorted()).toEqual(rows.map((_row, at) => String(5_000 + at)).toSorted())
      },
    ),
    { numRuns: Number(process.env['DOCKET_LAW_RUNS'] ?? 60) },
  )
})
