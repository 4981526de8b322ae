import type { ConditionValue, Operand } from './condition-tree.ts'

/**
 * Changes each operand of a value.
 *
 * @param whole changes the text with all members of a list column, which is kept beside its members
 */
export function mapOperands(
  value: ConditionValue,
  one: (operand: Operand) => Operand,
  whole: (operand: Operand) => Operand = one,
): ConditionValue {
  switch (value.kind) {
    case 'literal':
    case 'helper':
      return one(value)
    case 'list':
      return { ...value, members: value.members.map(one) }
    case 'members':
      return { ...value, whole: whole(value.whole), members: value.members.map(one) }
    case 'range':
      return { ...value, from: one(value.from), to: one(value.to) }
    default:
      return value
  }
}
