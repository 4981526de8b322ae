import { invalidValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'

/** Why a built-in rule rejects a write (sql/write-built-in-rules.ts). */
export type BrokenRule =
  | 'webhook-of-another'
  | 'decided-on-create'
  | 'decision-final'
  | 'decided-by-another'
  | 'approver-changed'
  | 'rejected-without-comment'
  | 'approval-state-given'
  | 'own-ancestor'

const PROBLEMS: Readonly<Record<BrokenRule, (field: string) => Problem>> = {
  'webhook-of-another': (field) => ({
    kind: 'write-denied',
    field,
    detail:
      `${field} of a webhook is changed by the user in run_as or by a security administrator. ` +
      'Set url or run_as to yourself in the same request to have the webhook run with your rights',
  }),
  'decided-on-create': (field) =>
    invalidValue(field, 'an approval begins without a decision; its approver decides afterwards'),
  'decision-final': (field) =>
    invalidValue(field, 'the decision is final; an administrator may reopen it by setting state to requested'),
  'decided-by-another': (field) => ({
    kind: 'write-denied',
    field,
    detail: 'Only the approver of this row approves or rejects',
  }),
  'approver-changed': (field) => ({
    kind: 'write-denied',
    field,
    detail: 'The approver is changed by the approver, who hands the decision over, or by an administrator',
  }),
  'rejected-without-comment': (field) => invalidValue(field, 'a rejection needs a comment'),
  'approval-state-given': (field) =>
    invalidValue(field, 'approved and rejected follow the rows of sys_approval; its approvers decide there'),
  'own-ancestor': (field) => invalidValue(field, 'the record would be its own ancestor'),
}

export function explainBrokenRule(rule: BrokenRule | undefined, field: string): Problem {
  if (rule === undefined) throw new Error('a statement was rejected by a built-in rule without a name')
  return PROBLEMS[rule](field)
}
