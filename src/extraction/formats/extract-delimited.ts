import { csvRows } from '../../text-formats/read-csv.ts'
import { createTableRows } from '../read/table-rows.ts'
import type { TextSink } from '../text-builder.ts'

/** Adds a table of delimited text. */
export function extractDelimited(text: string, delimiter: string, into: TextSink): void {
  const rows = createTableRows(into)
  for (const cells of csvRows(text, delimiter)) rows.add(cells)
  rows.end()
}
