import { z } from 'zod'
import { successOf } from './envelope.ts'

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
  rules: z.array(
    z.object({
      sys_id: z.string(),
      description: z.string(),
      roles: z.array(z.string()),
      condition: z.string().meta({ description: 'An encoded query on the record.' }),
      admin_overrides: z.boolean(),
      verdict: z.string(),
      holds: z.boolean().optional().meta({ description: 'Whether the condition holds on the record asked about.' }),
    }),
  ),
})

/** Record spec, section 7. */
export const ExplainAnswer = successOf(
  z.object({
    table: z.string(),
    class: z.string().meta({ description: 'The class whose rules were asked: the record’s own, where one was named.' }),
    operation: z.enum(ACTIONS),
    column: z.string().nullable(),
    verdict: Verdict,
    table_decision: Decision,
    column_decision: Decision.nullable(),
    reason: z.string(),
  }),
)
