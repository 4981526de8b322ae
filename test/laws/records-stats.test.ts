import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arbitraryWorld, type Ground, naiveTables, rowsOf, storable, tablesBeside } from './arbitrary-records.ts'
import { arbitraryRequest, requestOf } from './arbitrary-requests.ts'
import { arbitraryReadRules } from './arbitrary-rules.ts'
import { emptyLab, insertRows, type Lab, MAX_SHRINKS, openLab, principalOf, runs, setRules } from './record-lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

const arbitraryCase = fc.record({
  world: arbitraryWorld,
  rules: arbitraryReadRules,
  requests: fc.array(
    arbitraryRequest.map((seed) => ({ ...seed, operation: 'stats' as const })),
    { minLength: 1, maxLength: 10, size: 'max' },
  ),
})

interface Group {
  readonly group: Readonly<Record<string, unknown>>
  readonly count: number
}

test('groups are those of the list of the same query: each once, with as many records', async () => {
  const { catalog } = lab
  await fc.assert(
    fc.asyncProperty(fc.limitShrink(arbitraryCase, MAX_SHRINKS), async (seed) => {
      const rows = rowsOf(seed.world, catalog)
      await emptyLab(lab.database)
      await insertRows(lab, storable(rows, catalog))
      await setRules(lab.database, seed.rules)
      const tables = { ...naiveTables(rows, catalog), ...tablesBeside(catalog) }
      const ground: Ground = { catalog, tables, options: [...lab.options.values()] }
      const as = principalOf(['reader'])
      for (const each of seed.requests) {
        const request = requestOf(each, ground, { cursor: null, etags: new Map() })
        const parameters = {
          sysparm_query: request.parameters?.['sysparm_query'] ?? '',
          sysparm_exclude_reference_link: '1',
          sysparm_limit: '0',
        }
        // Without the units of dates: the list has whole values.
        const grouped = (request.parameters?.['sysparm_group_by'] ?? '').split(',')
        const fields = [...new Set(grouped.map((field) => field.replace(/:.*/, '')))].join(',')
        const stats = await lab.call({ ...request, as, parameters: { ...parameters, sysparm_group_by: fields } })
        if (!stats.ok) continue
        const list = await lab.call({
          operation: 'list',
          table: request.table,
          as,
          parameters: { ...parameters, sysparm_fields: fields === '' ? 'sys_id' : fields },
        })
        expect(list.ok).toBe(true)
        if (!list.ok) continue
        const groups = (JSON.parse(String(stats.value.body)) as { data: readonly Group[] }).data
        const records = (JSON.parse(String(list.value.body)) as { data: readonly Readonly<Record<string, unknown>>[] })
          .data
        const names = fields === '' ? [] : fields.split(',')
        // Where a field is hidden, the row has no member for it, and it counts as empty.
        const markOf = (values: Readonly<Record<string, unknown>>): string =>
          JSON.stringify(names.map((name) => values[name] ?? null))
        const counted = new Map<string, number>(names.length === 0 ? [['[]', 0]] : [])
        for (const record of records) counted.set(markOf(record), (counted.get(markOf(record)) ?? 0) + 1)
        expect(new Map(groups.map(({ group, count }) => [markOf(group), count]))).toEqual(counted)
        expect(groups).toHaveLength(counted.size)
      }
    }),
    runs(40),
  )
}, 300_000)
