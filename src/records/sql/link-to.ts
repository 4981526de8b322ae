import type { Column } from '../../catalog/catalog.ts'
import { isAnyText } from '../../column-types/json-piece.ts'
import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { ofRequest, Param, type RequestValues } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'

/** The link to a record, for the inside of a JSON text. */
export function linkTo(table: string, column: Column, value: Expression): Expression {
  const part = isAnyText(column) ? sql`docket_system.path_part(${value}::text)` : value
  return sql`${linkParam(table)}::text || ${part}`
}

/** The link up to the sys_id, escaped for JSON once per address, not once per row. One parameter for all links to a table. */
function linkParam(table: string): Param {
  const values = (baseUrl: string) => succeed([JSON.stringify(`${baseUrl}/rest/v1/table/${table}/`).slice(1, -1)])
  // Nearly all requests use the same address.
  let last = { baseUrl: '', values: values('') }
  const read = ({ baseUrl }: RequestValues) => {
    if (baseUrl !== last.baseUrl) last = { baseUrl, values: values(baseUrl) }
    return last.values
  }
  return new Param(ofRequest(read, `links:${table}`), 0)
}
