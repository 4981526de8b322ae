import { z } from 'zod'
import { RECORD_PARAMETERS, type RecordOperation, STATS_ONLY_PARAMETERS } from '../../contract/record-parameters.ts'
import type { JsonObject } from '../../http/openapi/json-schema.ts'
import { inQuery } from '../../http/openapi/write-openapi.ts'

const refTo = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` })

/** The parameters of an operation, as references of the OpenAPI document. records/parse/ reads them. */
export function parametersOf(operation: RecordOperation): readonly JsonObject[] {
  return Object.entries(RECORD_PARAMETERS)
    .filter(([, { operations }]) => operations.includes(operation))
    .map(([name]) => refTo(name))
}

export const IF_MATCH = refTo('If-Match')
export const IDEMPOTENCY_KEY = refTo('Idempotency-Key')

/** The parameters to which these references point. */
export const SHARED_PARAMETERS: JsonObject = {
  ...Object.fromEntries(
    Object.entries(RECORD_PARAMETERS).map(([name, { description, schema }]) => [
      name,
      inQuery(name, description, schema),
    ]),
  ),
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key that the caller chooses for this create. For 24 hours the same request with the same key gets the first response, ' +
      'and nothing is created again; another request with it is 422.',
    schema: { type: 'string', maxLength: 255 },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'ETag of the record that is to be changed. Its version is compared; another version is 409 with the reason `stale`.',
    schema: { type: 'string' },
  },
}

/** `POST …/query`: the parameters as members of its body. */
const bodyOf = (
  parameters: readonly (readonly [string, { readonly schema: z.ZodType; readonly description: string }])[],
) =>
  z.object(
    Object.fromEntries(
      parameters.map(([name, { schema, description }]) => [name, schema.optional().meta({ description })]),
    ),
  )

export const QueryBody = bodyOf(
  Object.entries(RECORD_PARAMETERS).filter(([, { operations }]) => operations.includes('list')),
).meta({ description: 'The parameters of a list.' })

export const StatsQueryBody = bodyOf([
  ...Object.entries(RECORD_PARAMETERS).filter(([, { operations }]) => operations.includes('stats')),
  ...Object.entries(STATS_ONLY_PARAMETERS),
]).meta({ description: 'The parameters of aggregates.' })
