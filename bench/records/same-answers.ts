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
    const answers = [await call(docket, each.docket[at]), await call(bare, each.bare[at])].map((answer) =>
      answer.map((record) => without(record, each.volatile)),
    )
    if (answers[0]?.length === 0 || !isDeepStrictEqual(answers[0], answers[1])) {
      throw new Error(`${each.name}: the servers' answers differ: ${JSON.stringify(answers, null, 1)}`)
    }
  }
}

type Answered = Readonly<Record<string, unknown>>

async function call(target: Target, request: RequestToSend | undefined): Promise<readonly Answered[]> {
  if (request === undefined) throw new Error('a case without requests')
  const response = await fetch(`http://${target.host}:${target.port}${request.path}`, {
    method: request.method,
    headers: { ...request.headers, ...(request.body !== undefined && { 'content-type': 'application/json' }) },
    ...(request.body !== undefined && { body: request.body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${target.name} refused ${request.path}: ${text}`)
  return (JSON.parse(text) as { readonly data: readonly Answered[] }).data
}

function without(record: Answered, names: readonly string[]): Answered {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}
