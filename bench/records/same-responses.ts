import { isDeepStrictEqual } from 'node:util'
import type { RequestToSend } from '../measure/load.ts'
import type { Case } from './cases.ts'
import type { Target } from './servers.ts'

/** Requests of each case that are compared before the measurement. */
const compared = 5

/**
 * Both servers return the same records; otherwise the comparison would be meaningless.
 *
 * @throws Error with the first responses that differ
 */
export async function throwOnDifferentResponses(each: Case, docket: Target, bare: Target): Promise<void> {
  for (let at = 0; at < Math.min(compared, each.docket.length); at += 1) {
    const responses = [await call(docket, each.docket[at]), await call(bare, each.bare[at])].map((response) =>
      response.map((record) => without(record, each.volatile)),
    )
    if (responses[0]?.length === 0 || !isDeepStrictEqual(responses[0], responses[1])) {
      throw new Error(`${each.name}: the servers' responses differ: ${JSON.stringify(responses, null, 1)}`)
    }
  }
}

type ResponseRow = Readonly<Record<string, unknown>>

async function call(target: Target, request: RequestToSend | undefined): Promise<readonly ResponseRow[]> {
  if (request === undefined) throw new Error('a case without requests')
  const response = await fetch(`http://${target.host}:${target.port}${request.path}`, {
    method: request.method,
    headers: { ...request.headers, ...(request.body !== undefined && { 'content-type': 'application/json' }) },
    ...(request.body !== undefined && { body: request.body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${target.name} rejected ${request.path}: ${text}`)
  return (JSON.parse(text) as { readonly data: readonly ResponseRow[] }).data
}

function without(record: ResponseRow, names: readonly string[]): ResponseRow {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}
