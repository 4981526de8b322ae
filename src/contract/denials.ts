import { z } from 'zod'
import { successOf } from './envelope.ts'
import { ACTIONS } from './explain.ts'

export const DENIAL_REASONS = ['table', 'column', 'record', 'built_in_rule', 'role', 'narrowed_key'] as const

const Denial = z.object({
  user: z
    .object({
      value: z.string().meta({ description: 'sys_id of the user.' }),
      display_value: z.string().meta({ description: 'Name of the user.' }),
      user_name: z.string().meta({ description: 'Login name of the user.' }),
      link: z.string().meta({ description: 'Address of the user.' }),
    })
    .meta({ description: 'Whose requests were rejected.' }),
  reason: z
    .enum(DENIAL_REASONS)
    .meta({ description: 'What is missing: a right to the table, the column or the record; a role; …' }),
  message: z.string().meta({ description: 'The error that the user got, in the language of the caller.' }),
  operation: z
    .enum(ACTIONS)
    .nullable()
    .meta({ description: 'null: the request needs a role, not a right to records.' }),
  table: z.string().nullable().meta({ description: 'null: the request names no table.' }),
  record: z.string().nullable().meta({ description: 'sys_id as the request names it; null: it names none.' }),
  column: z.string().nullable().meta({ description: 'null: no column was denied.' }),
  roles: z.array(z.string()).meta({ description: 'Roles of which one is required; empty: rules decide.' }),
  method: z.string().meta({ description: 'Method of the request.' }),
  route: z.string().meta({ description: 'Pattern of its address.', examples: ['/rest/v1/table/:table'] }),
  requests: z.int().meta({ description: 'Number of such requests of the user.' }),
  first_at: z.string().meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`.' }),
  last_at: z.string().meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`.' }),
  explain: z.string().nullable().meta({
    description: 'Address that explains which rule decides now; null: no access rule decides, or the table is gone.',
  }),
})
export type DenialResponse = z.infer<typeof Denial>

export const DenialsEnvelope = successOf(z.array(Denial)).meta({ id: 'Denials' })
