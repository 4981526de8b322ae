import { z } from 'zod'
import { successOf } from './envelope.ts'

/** Where it is explained which access rules decide. Errors of denied requests lead there. */
export const EXPLANATION_PATH = '/rest/v1/acl/explain'

export const ACTIONS = ['create', 'read', 'write', 'delete'] as const

const Verdict = z.enum(['allowed', 'refused', 'on_condition']).meta({
  description: '`on_condition`: the conditions of the rules decide record by record.',
})

const Decision = z.object({
  verdict: Verdict,
  level: z
    .string()
    .nullable()
    .meta({ description: 'The level whose rules decided; null: no level has an active rule.' }),
  rules: z
    .array(
      z.object({
        sys_id: z.string().meta({ description: 'sys_id of the rule.' }),
        description: z.string().meta({ description: 'Description of the rule.' }),
        roles: z.array(z.string()).meta({ description: 'Roles of which one is required; empty: none.' }),
        condition: z.string().meta({ description: 'An encoded query on the record.' }),
        admin_overrides: z
          .boolean()
          .meta({ description: 'Administrators are allowed whatever the roles and the condition require.' }),
        verdict: z.string().meta({ description: 'What the rule decides.' }),
        holds: z.boolean().optional().meta({ description: 'Whether the condition holds on the record asked about.' }),
      }),
    )
    .meta({ description: 'The rules of that level.' }),
})

/** docs/spec/records.md, section 7. */
export const ExplainEnvelope = successOf(
  z.object({
    table: z.string().meta({ description: 'The table of the request.' }),
    class: z
      .string()
      .meta({ description: 'The class whose rules were checked: the class of the record, if one was named.' }),
    operation: z.enum(ACTIONS).meta({ description: 'The operation of the request.' }),
    column: z.string().nullable().meta({ description: 'The column of the request.' }),
    verdict: Verdict,
    table_decision: Decision.meta({ description: 'Decision of the rules of the table.' }),
    column_decision: Decision.nullable().meta({
      description: 'Decision of the rules of the column; null without a column.',
    }),
    reason: z.string().meta({ description: 'The decision in a sentence.' }),
    names: z
      .object({
        table: z.string().meta({ description: 'The table.' }),
        class: z.string().meta({ description: 'The class.' }),
        column: z.string().nullable().meta({ description: 'The column.' }),
      })
      .optional()
      .meta({ description: 'With `face`: the names of that API.' }),
  }),
).meta({ id: 'Explanation' })
