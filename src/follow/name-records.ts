/** UTF-16 units; a query may have 65,536, and the followed query stands beside it. */
const conditionUnits = 30_000

/**
 * Conditions that together hold on the records of these sys_ids, or whose walk leads to one of them, whatever stands in them: a list of a condition is parted by `@`,
 * or else by `,`, and cannot hold a sys_id that has them.
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
  readonly condition: string
}

function conditionOn(sysIds: readonly string[], path: string): string {
  const listed = sysIds.filter((sysId) => !/[@,]/.test(sysId))
  const others = sysIds.filter((sysId) => /[@,]/.test(sysId))
  const tests = [
    ...(listed.length === 0 ? [] : [`${path}IN${listed.map(escaped).join(',')}`]),
    ...others.map((sysId) => `${path}=${escaped(sysId)}`),
  ]
  // Without brackets, which a `)` in a sys_id would close: OR of tests binds tighter than AND.
  return tests.join('^OR')
}

const escaped = (sysId: string): string => sysId.replaceAll('^', '^^')
