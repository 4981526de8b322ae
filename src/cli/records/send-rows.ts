import { ImportEnvelope } from '../../contract/bulk.ts'
import type { Problem } from '../../kernel/problem.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { ServerClient } from '../documents/server-client.ts'
import { NOTHING, type Totals } from './import-mark.ts'
import type { NumberedRow } from './numbered-rows.ts'

export interface Sending {
  readonly table: string
  readonly key?: string
  readonly onHit: string
  readonly migrate?: true
  readonly mapping: string | null
  readonly isText: boolean
  /** The key of the request: sent again, it writes nothing twice. */
  readonly name: string
}

export interface Rejected {
  readonly row: NumberedRow
  readonly message: string
}

export interface Sent {
  readonly totals: Totals
  readonly rejected: readonly Rejected[]
}

/** Rows that can be read are sent to the server; the others are rejected here. */
export async function sendRows(
  client: ServerClient,
  batch: readonly NumberedRow[],
  { table, key, onHit, isText, name, migrate, mapping }: Sending,
): Promise<Sent> {
  const good = batch.flatMap((row) => (row.json.ok ? [{ row, json: row.json.value }] : []))
  const rejected = batch.flatMap((row): Rejected[] =>
    row.json.ok ? [] : [{ row, message: messageOf(row.json.error) }],
  )
  if (good.length === 0) return { totals: { ...NOTHING, failed: rejected.length }, rejected }
  const form = new FormData()
  if (mapping !== null) form.set('mapping', mapping)
  form.set('file', new Blob([`{${JSON.stringify(table)}:[${good.map(({ json }) => json).join(',')}]}`]), 'rows.json')
  const query = { key: key ?? '', on_hit: onHit, text: isText ? '1' : '0', ...(migrate ? { migrate: '1' } : {}) }
  const headers = { 'idempotency-key': name }
  const response = await client.send({ method: 'POST', path: '/v1/import/json', query, headers, body: form })
  if (!response.ok) throw new StartFailure(response.message)
  const { data } = ImportEnvelope.extend({ data: ImportEnvelope.shape.data.omit({ table: true }) }).parse(response.body)
  for (const { line, message } of data.errors) {
    const row = good[line - 1]?.row
    if (row !== undefined) rejected.push({ row, message })
  }
  const { inserted, updated, skipped, failed } = data
  return { totals: { inserted, updated, skipped, failed: failed + batch.length - good.length }, rejected }
}

/** Errors found by this command: invalid rows. */
export function messageOf(problem: Problem): string {
  if (problem.kind === 'bad-body') return `${problem.expected} is expected; found ${problem.found}.`
  return problem.kind === 'bad-json' ? `this is not valid JSON: ${problem.detail}.` : problem.kind
}
