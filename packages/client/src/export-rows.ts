import { Aborted, abortedBySignal, NetworkError } from './errors.ts'
import type { Send } from './http.ts'
import { linesOf } from './lines.ts'
import { pathSegment } from './path-segment.ts'
import type { AnyQuery, ExportOptions } from './record-options.ts'
import { DISPLAY, definedOf, readingOf, textOf } from './record-parameters.ts'

/** A file with all matching records, byte by byte. */
export async function exportedFile(
  send: Send,
  table: string,
  {
    query,
    fields,
    display,
    format,
    ...call
  }: ExportOptions & { readonly query: AnyQuery; readonly format: 'csv' | 'ndjson' },
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const parameters = definedOf({
    format,
    sysparm_query: textOf(query),
    sysparm_fields: fields?.join(','),
    sysparm_display_value: DISPLAY[display ?? 'value'],
  })
  const { body } = await send({ ...call, ...readingOf(`/rest/v1/export/${pathSegment(table)}`, parameters) })
  if (body === null) throw new TypeError('The response has no body.')
  return body
}

/** The records of such a file, as they arrive. */
export async function* exportedRows<R>(
  send: Send,
  table: string,
  query: AnyQuery,
  options: ExportOptions,
): AsyncGenerator<R, void, undefined> {
  const body = await exportedFile(send, table, { ...options, query, format: 'ndjson' })
  try {
    for await (const line of linesOf(body)) if (line !== '') yield JSON.parse(line) as R
  } catch (error) {
    if (error instanceof Aborted || options.signal?.aborted === true) throw abortedBySignal()
    throw new NetworkError('The export broke off, so the records so far are not all: run it again.')
  }
}
