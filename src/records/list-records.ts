import type { EncodedQuery } from '../condition/condition-tree.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { Answer, Asked } from './asked.ts'
import type { RequestOptions } from './parse/record-request.ts'

/** A list as a program inside Docket asks for it: trees, names and numbers, no text of a query string. */
export interface RecordList extends Omit<RequestOptions, 'query' | 'inputDisplay'> {
  readonly table: string
  readonly query: EncodedQuery
  readonly fields: readonly string[]
  readonly limit: number
}

export type Row = Readonly<Record<string, unknown>>

export interface RecordPage {
  readonly rows: readonly Row[]
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null
}

export type ListQuestion = Pick<Asked, 'table' | 'sysId' | 'parameters' | 'options' | 'body'> & {
  readonly operation: 'list'
}

/**
 * A page of a list, with the rights of whoever sends it.
 *
 * @param send sends a request as its caller
 * @param parse reads the JSON of the rows
 */
export async function listRecords<E>(
  send: (question: ListQuestion) => Promise<Result<Answer, E>>,
  { table, ...options }: RecordList,
  parse: (json: string) => unknown = JSON.parse,
): Promise<Result<RecordPage, E>> {
  const answer = await send({
    operation: 'list',
    table,
    sysId: null,
    parameters: NO_PARAMETERS,
    options,
    body: undefined,
  })
  if (!answer.ok) return answer
  const { body, headers } = answer.value
  return succeed({
    rows: (parse(body) as { readonly data: readonly Row[] }).data,
    next: headers['x-next-cursor'] ?? null,
  })
}

/** For requests that say by `options` what they want. */
export const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()
