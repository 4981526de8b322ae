import { comparisonOf } from '../column-types/column-types.ts'
import { isOneOf } from '../condition/literal-checks.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { eachOf } from './each-of.ts'
import type { ImportJob, ImportOptions } from './import-job.ts'
import type { KeyedRow } from './keyed-row.ts'

/** Stands for a record that an earlier row would have created: a dry run does not keep records. */
export const OF_THIS_FILE = 'of this file'

type Hit = Result<string | null, Problem>

/** @returns by line: the one record with the row's key that the caller may read, null if there is none */
export async function findExistingRecords(
  rows: readonly KeyedRow[],
  job: ImportJob,
): Promise<ReadonlyMap<number, Hit>> {
  if (job.options.keys.length === 0) return new Map()
  const { seen } = job.deps
  const known = new Set(rows.flatMap(({ keyId, line }) => (keyId !== null && seen?.isKnown(keyId) ? [line] : [])))
  const wanted = rows.filter(({ line }) => !known.has(line))
  const found =
    (await findTogether(wanted, job)) ??
    (await eachOf(wanted, async (row): Promise<[number, Hit]> => [row.line, await findHit(row, job)]))
  return new Map<number, Hit>([...[...known].map((line): [number, Hit] => [line, succeed(OF_THIS_FILE)]), ...found])
}

/** Characters that every database case-folds as JavaScript does. With others, two keys may be equal in one and different in the other. */
const PLAIN = /^[ -~А-яЁё]+$/
const PLAIN_ID = /^[1-9]\d{0,17}$/
/** Maximum number of results: as many as one statement looks up, plus some that share a key. */
const maxFound = 500

/** Looks up many rows with one query if their key is a text or a sys_id. @returns null: the result would not be reliable */
async function findTogether(
  rows: readonly KeyedRow[],
  { options: { keys }, table, deps }: ImportJob,
): Promise<readonly (readonly [number, Hit])[] | null> {
  const [name = ''] = keys
  const column = table.columns.get(name)
  const comparison = column === undefined ? null : comparisonOf(column)
  const isPlain = comparison === 'text' ? PLAIN : comparison === 'id' ? PLAIN_ID : null
  const texts = rows.map(({ key }) => key?.[0] ?? '')
  if (keys.length > 1 || rows.length < 2 || isPlain === null) return null
  if (!texts.every((text) => isPlain.test(text) && !text.includes('@'))) return null
  const query = { where: isOneOf([name], texts), orders: [] }
  const list = { table: table.name, query, fields: [table.keyColumn, name], limit: maxFound }
  const found = await deps.records.list(list)
  if (!found.ok) return null
  const data = found.value.records.rows()
  const ids = new Map<string, string>()
  for (const record of data) ids.set(String(record[name]).toLowerCase(), String(record[table.keyColumn]))
  const known = new Set(texts.map((text) => text.toLowerCase()))
  // The record matches no row, or shares its key with another record.
  if (data.length === maxFound || ids.size < data.length || ![...ids.keys()].every((text) => known.has(text)))
    return null
  return rows.map(({ line }, at) => [line, succeed(ids.get((texts[at] ?? '').toLowerCase()) ?? null)])
}

async function findHit({ condition }: KeyedRow, { options, table, deps }: ImportJob): Promise<Hit> {
  const query = { where: condition, orders: [] }
  const found = await deps.records.list({ table: table.name, query, fields: [table.keyColumn], limit: 2 })
  // Report a wrong value of a key column as an error of the column, not of a query that the caller did not write.
  if (!found.ok) return fail(found.error.kind === 'bad-query' ? wrongKey(found.error, options) : found.error)
  const [first, second] = found.value.records.rows()
  if (second === undefined) return succeed(first === undefined ? null : String(first[table.keyColumn]))
  const detail = `is the key of more than one record (${options.keys.join(', ')})`
  return fail({ kind: 'invalid-value', field: options.keys[0] ?? '', detail })
}

function wrongKey(problem: Problem & { readonly kind: 'bad-query' }, { keys }: ImportOptions): Problem {
  return { kind: 'invalid-value', field: problem.field ?? keys[0] ?? '', detail: problem.detail }
}
