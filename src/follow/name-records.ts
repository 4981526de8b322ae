import type { ConditionTree } from '../condition/condition-tree.ts'
import { isOneOf } from '../condition/literal-checks.ts'

/** UTF-16 units of the sys_ids in one condition: PostgreSQL takes long to plan a statement of several hundred kilobytes. */
const conditionUnits = 30_000

/**
 * Conditions that select the records with these sys_ids, or the records whose path leads to one of them.
 *
 * @param max sys_ids per condition
 * @param path to the record that has the sys_id
 */
export function conditionsOn(sysIds: readonly string[], max: number, path = 'sys_id'): readonly NamedRecords[] {
  const groups: { sysIds: string[]; units: number }[] = []
  for (const sysId of sysIds) {
    const units = sysId.length * 2 + path.length + 20
    const last = groups.at(-1)
    if (last === undefined || last.sysIds.length >= max || last.units + units > conditionUnits) {
      groups.push({ sysIds: [sysId], units })
    } else {
      last.sysIds.push(sysId)
      last.units += units
    }
  }
  return groups.map((group) => ({ sysIds: group.sysIds, condition: isOneOf(path.split('.'), group.sysIds) }))
}

export interface NamedRecords {
  readonly sysIds: readonly string[]
  readonly condition: ConditionTree
}
