import type { Problem } from '../../kernel/problem.ts'

/** What a built-in rule rejects (sql/write-built-in-rules.ts). */
export type BrokenRule = 'webhook-of-another'

const PROBLEMS: Readonly<Record<BrokenRule, (field: string) => Problem>> = {
  'webhook-of-another': (field) => ({
    kind: 'write-denied',
    field,
    detail:
      `${field} of a webhook is changed by the user in run_as or by a security administrator. ` +
      'Set url or run_as to yourself in the same request to have the webhook run with your rights',
  }),
}

export function explainBrokenRule(rule: BrokenRule | undefined, field: string): Problem {
  if (rule === undefined) throw new Error('a statement was rejected by a built-in rule without a name')
  return PROBLEMS[rule](field)
}
