import type { HelpfulIndex, SlowRequest } from '../../records/slow/list-slow-requests.ts'

/** For people: a paragraph for each shape of request. */
export function printSlowRequests(shapes: readonly SlowRequest[]): string {
  if (shapes.length === 0)
    return 'No slow record requests. DOCKET_SLOW_REQUEST_MS says from which time on they are slow.'
  return shapes.map(paragraphOf).join('\n\n')
}

function paragraphOf(shape: SlowRequest): string {
  const lines = [headOf(shape), `  ${timesOf(shape)}`, ...rowsOf(shape), ...indexesOf(shape)]
  // A name from the database must not move the cursor of a terminal, or start a line.
  return lines.map((line) => line.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')).join('\n')
}

function headOf({ table, operation, shape, has_total: hasTotal, has_rule: hasRule, page }: SlowRequest): string {
  const marks = [
    ...(hasTotal ? ['with total'] : []),
    ...(page === 'offset' || page === 'cursor' ? [`page by ${page}`] : []),
    ...(hasRule ? ['under a rule'] : []),
  ]
  const kind = marks.length === 0 ? operation : `${operation} (${marks.join(', ')})`
  return `${table}: ${kind} ${shape === '' ? '(no condition)' : shape}`
}

function timesOf({
  runs,
  slow_runs: slowRuns,
  total_ms: totalMs,
  p95_ms: p95Ms,
  max_ms: maxMs,
  last_at: lastAt,
}: SlowRequest) {
  const seconds = Math.round(totalMs / 100) / 10
  return `${runs} runs, ${slowRuns} of them slow; ${seconds} s in all, 95 % within ${p95Ms} ms, the slowest ${maxMs} ms; last ${lastAt} UTC`
}

function rowsOf({ rows_returned: returned, rows_read: read, pages_read: pages }: SlowRequest): readonly string[] {
  const sent = returned === null ? [] : [`${returned} rows returned on average`]
  const looked = read === null ? [] : [`${read} rows and ${pages} pages read`]
  const parts = [...sent, ...looked]
  return parts.length === 0 ? [] : [`  ${parts.join('; ')}`]
}

function indexesOf({ indexes, page }: SlowRequest): readonly string[] {
  const deep = page === 'offset' ? ['  pages by offset read all rows before them: use sysparm_cursor'] : []
  if (indexes.length === 0) return [...deep, '  no index is known that would help']
  return [...deep, ...indexes.flatMap(linesOf)]
}

function linesOf({ table, column_names: columns, purpose, state, statement }: HelpfulIndex): readonly string[] {
  const name = `index for ${purpose} on ${table} (${columns.join(', ')})`
  if (state !== 'proposed') return [`  ${name}: ${state}`]
  return statement === null ? [`  ${name}`] : [`  ${name}:`, `    ${statement}`]
}
