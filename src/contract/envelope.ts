import { z } from 'zod'

/** Response to every failed request: docs/spec/records.md, section 1; `code`, `field`, `position` and `request_id` are ours. */
export const ErrorEnvelope = z
  .object({
    status: z.literal('ERROR').meta({ description: 'The request failed.' }),
    error_type: z.literal('SERVER').meta({ description: 'Always `SERVER`; `code` tells errors apart.' }),
    message: z.string().meta({ description: 'The first error’s message; older clients read it here.' }),
    errors: z
      .array(
        z.object({
          message: z.string().meta({ description: 'What is wrong and what to do, in a sentence.' }),
          code: z
            .string()
            .meta({ description: 'For programs; docs/errors.md lists them all.', examples: ['BAD_QUERY'] }),
          field: z.string().optional().meta({ description: 'The column or parameter that the error is about.' }),
          position: z.int().min(0).optional().meta({
            description: 'Where in the query or in the body, in UTF-16 units from its start.',
          }),
          reason: z
            .enum(['stale', 'duplicate', 'referenced', 'loss', 'conflict', 'count'])
            .optional()
            .meta({ description: 'Of a 409: why the request contradicts what is stored.' }),
          record: z.string().optional().meta({ description: 'sys_id of the record, where the request names none.' }),
          found: z.int().optional().meta({ description: 'Of a bulk request: records that its query finds.' }),
          expected: z.int().optional().meta({ description: 'Of a bulk request: its expected_count.' }),
          percent: z.int().min(0).max(99).optional().meta({
            description: 'Of `INDEX_BUILDING`: how much of the search index is built.',
          }),
          explain: z.string().optional().meta({
            description: 'Of a 403, for the role security_admin: the address that explains which rules decide.',
          }),
        }),
      )
      .min(1)
      .meta({ description: 'At least one error.' }),
    request_id: z.string().meta({ description: 'Names the request in the server’s log; also in X-Request-Id.' }),
  })
  .meta({ description: 'A failed request.' })

/** The envelope of success around `data`. */
export const successOf = <Data extends z.ZodType>(data: Data) =>
  z
    .object({ status: z.literal('OK').meta({ description: 'The request succeeded.' }), data: described(data) })
    .meta({ description: 'A successful response.' })

/** `data` keeps a description of its own. */
const described = <Data extends z.ZodType>(data: Data): Data =>
  data.meta()?.description === undefined ? data.meta({ description: 'The result.' }) : data

/** `data` of a response that has only a sentence in the caller's language. */
export const Description = z.object({
  description: z.string().meta({ description: 'What was done, in the language of the caller.' }),
})

/** The response of a delete. */
export const DeletedEnvelope = successOf(
  Description.extend({ count: z.int().min(1).meta({ description: 'Number of deleted records.' }) }),
).meta({ id: 'Deleted' })
