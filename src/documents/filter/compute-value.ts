import type { Operand } from '../../condition/condition-tree.ts'
import { computeInstant } from '../../condition/dates/read-helper.ts'
import type { Principal } from '../../identity/principal.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'

/**
 * Evaluates a value of a filter: a literal, or a helper of the record query (docs/spec/records.md, section 6).
 *
 * @returns the texts that it may be (a caller's groups are several, or none), or the error in the helper
 */
export function computeValue(
  operand: Operand,
  { principal, nowMs }: { readonly principal: Principal; readonly nowMs: number },
): Result<readonly string[], string> {
  if (operand.kind === 'literal') return succeed([operand.text])
  const helper = operand.call
  if (!helper.ok) return helper
  switch (helper.value.kind) {
    case 'user-id':
      return succeed([principal.userId])
    case 'user-name':
      return succeed([principal.userName])
    case 'company-id':
      return succeed(principal.companyId == null ? [] : [principal.companyId])
    case 'property':
      return fail('gs.getProperty() is for conditions on records; a filter of documents takes the value itself.')
    case 'group-ids':
      return succeed(principal.groupIds)
    case 'instant':
      return succeed([computeInstant(helper.value, { nowMs, timeZone: principal.timeZone }).utc])
    default:
      return unreachable(helper.value)
  }
}
