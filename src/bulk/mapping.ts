import { z } from 'zod'
import { withDigitsAsText } from '../kernel/exact-json.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type { ImportRow } from './import-job.ts'

const Shape = z.strictObject({
  columns: z.record(z.string(), z.string().nullable()).default({}),
  values: z
    .record(z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])))
    .default({}),
})

/**
 * Maps columns and values of a file to those of the table. `columns`: a name in the file, and the column; null leaves it out;
 * `*`: null leaves out every column that is not listed. `values`: for each column, a value in the file, and the value in the
 * table.
 */
export type Mapping = z.infer<typeof Shape>

/** @param source what the message calls the text: a file, a parameter */
export function readMapping(text: string, source: string): Result<Mapping, Problem> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return fail({
      kind: 'bad-json',
      detail: `${source}: ${error instanceof Error ? error.message : 'it does not parse'}`,
    })
  }
  const parsed = Shape.safeParse(json)
  if (parsed.success) return succeed(parsed.data)
  const [issue] = parsed.error.issues
  const at = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`
  const expected = `${source} as {"columns":{"name in the file":"column"},"values":{"column":{"value in the file":"value"}}}`
  return fail({ kind: 'bad-body', expected, found: at })
}

export async function* mapRows(rows: AsyncIterable<ImportRow>, mapping: Mapping): AsyncGenerator<ImportRow> {
  for await (const { line, values } of rows) {
    yield { line, values: values.ok ? mapValues(values.value, mapping) : values }
  }
}

export function mapValues(values: Readonly<Record<string, unknown>>, mapping: Mapping): ImportRow['values'] {
  const mapped = new Map<string, unknown>()
  for (const [name, value] of Object.entries(values)) {
    const column = columnOf(name, mapping)
    if (column === null) continue
    if (mapped.has(column)) {
      const found = `${column} from two columns of the file`
      return fail({ kind: 'bad-body', expected: 'a mapping that gives each column once', found })
    }
    mapped.set(column, mappedValue(value, mapping.values[column]))
  }
  return succeed(Object.fromEntries(mapped))
}

function columnOf(name: string, { columns }: Mapping): string | null {
  const mapped = Object.hasOwn(columns, name) ? columns[name] : undefined
  if (mapped !== undefined) return mapped
  return columns['*'] === undefined ? name : columns['*']
}

function mappedValue(value: unknown, values: Mapping['values'][string] | undefined): unknown {
  if (values === undefined) return value
  if (Array.isArray(value)) return value.map((member: unknown) => mappedValue(member, values))
  const text = value === null || value === undefined ? '' : String(withDigitsAsText(value))
  return Object.hasOwn(values, text) ? values[text] : value
}
