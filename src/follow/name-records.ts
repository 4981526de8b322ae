import { anyOf } from '../condition/combine-conditions.ts'
import type { ConditionTest, ConditionTree } from '../condition/condition-tree.ts'

/** UTF-16 units of the sys_ids of one condition: a statement of some hundred kilobytes is planned for long. */
const conditionUnits = 30_000

/**
 * Conditions that select the records with these sys_ids, or the records whose path leads to one of them. A list is split by `@`,
 * else by `,`, so a sys_id that contains one of these gets a comparison of its own.
 *
 * @param most sys_ids of one condition
 * @param path to what has the sys_id
 */
export function conditionsOn(sysIds: readonly string[], most: number, path = 'sys_id'): readonly NamedRecords[] {
  const groups: { sysIds: string[]; units: number }[] = []
  for (const sysId of sysIds) {
    const units = sysId.length * 2 + path.length + 20
    const last = groups.at(-1)
    if (last === undefined || last.sysIds.length >= most || last.units + units > conditionUnits) {
      groups.push({ sysIds: [sysId], units })
    } else {
      last.sysIds.push(sysId)
      last.units += units
    }
  }
  return groups.map((group) => ({ sysIds: group.sysIds, condition: conditionOn(group.sysIds, path) }))
}

export interface NamedRecords {
  readonly sysIds: readonly string[]
  readonly condition: ConditionTree
}

function conditionOn(sysIds: readonly string[], path: string): ConditionTree {
  const listed = sysIds.filter((sysId) => !/[@,]/.test(sysId))
  const others = sysIds.filter((sysId) => /[@,]/.test(sysId))
  const test = (operator: '=' | 'IN', value: string): ConditionTest => ({
    kind: 'test',
    path: path.split('.'),
    operator,
    value,
    literal: true,
    position: 0,
  })
  const tests = others.map((sysId) => test('=', sysId))
  const [first, ...more] = listed.length === 0 ? tests : [test('IN', listed.join(',')), ...tests]
  if (first === undefined) throw new Error('a condition on no record')
  return anyOf([first, ...more])
}
