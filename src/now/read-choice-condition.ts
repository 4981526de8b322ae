import type { DisplayedChoice } from '../catalog/catalog.ts'
import type { ConditionComparison, ConditionTree, ConditionValue } from '../condition/condition-tree.ts'
import { type Operator, POSITIVE_OPERATORS } from '../condition/operators.ts'
import { literal } from '../condition/typed-value.ts'

/**
 * Converts a comparison with a displayed value to one with all stored values displayed as it. For rows of one group of classes.
 */
export function withStored(comparison: ConditionComparison, { classes: [displayed] }: DisplayedChoice): ConditionTree {
  const { operator, value } = comparison
  const positive = POSITIVE_OPERATORS[operator] ?? operator
  const holds = HOLDS[positive]
  const texts = textsOf(value)
  if (displayed === undefined || holds === undefined || texts === null) return comparison
  const mapped = [...displayed.texts.keys()]
  const keys = [...displayed.texts].filter(([, text]) => holds(text, texts)).map(([key]) => key)
  // Stored values that are not in the map are displayed unchanged.
  const rest: ConditionTree = {
    kind: 'all',
    of: [
      { ...comparison, operator: 'NOT IN', value: listOf(mapped) },
      { ...comparison, operator: positive },
    ],
  }
  if (positive === '=' || positive === 'IN') {
    const members = [...keys, ...texts.filter((text) => !displayed.texts.has(text))]
    if (positive === operator)
      return members.length === 0 ? never(comparison) : { ...comparison, operator: 'IN', value: listOf(members) }
    return members.length === 0
      ? { ...comparison, operator: 'ANYTHING', value: { kind: 'none' } }
      : { ...comparison, operator: 'NOT IN', value: listOf(members) }
  }
  if (positive === operator) {
    return keys.length === 0
      ? rest
      : { kind: 'any', of: [{ ...comparison, operator: 'IN', value: listOf(keys) }, rest] }
  }
  const others: ConditionTree = {
    kind: 'any',
    of: [{ ...comparison, operator: 'IN', value: listOf(mapped) }, comparison],
  }
  return keys.length === 0
    ? others
    : { kind: 'all', of: [{ ...comparison, operator: 'NOT IN', value: listOf(keys) }, others] }
}

const listOf = (texts: readonly string[]): ConditionValue => ({ kind: 'list', members: texts.map(literal) })

const never = (comparison: ConditionComparison): ConditionTree => {
  const none = { kind: 'none' } as const
  return {
    kind: 'all',
    of: [
      { ...comparison, operator: 'ISEMPTY', value: none },
      { ...comparison, operator: 'ISNOTEMPTY', value: none },
    ],
  }
}

/** In the order of choices: numerically. */
const inOrder = (one: string, other: string): number => Number(one) - Number(other)

const HOLDS: { readonly [O in Operator]?: (displayed: string, texts: readonly string[]) => boolean } = {
  '=': (displayed, [text = '']) => displayed === text.toLowerCase(),
  IN: (displayed, texts) => texts.some((text) => displayed === text.toLowerCase()),
  LIKE: (displayed, [text = '']) => displayed.includes(text.toLowerCase()),
  STARTSWITH: (displayed, [text = '']) => displayed.startsWith(text.toLowerCase()),
  ENDSWITH: (displayed, [text = '']) => displayed.endsWith(text.toLowerCase()),
  '<': (displayed, [text = '']) => inOrder(displayed, text) < 0,
  '>': (displayed, [text = '']) => inOrder(displayed, text) > 0,
  '<=': (displayed, [text = '']) => inOrder(displayed, text) <= 0,
  '>=': (displayed, [text = '']) => inOrder(displayed, text) >= 0,
  BETWEEN: (displayed, [from = '', to = '']) => inOrder(displayed, from) >= 0 && inOrder(displayed, to) <= 0,
}

/** null: the texts are not known yet. */
function textsOf(value: ConditionValue): readonly string[] | null {
  switch (value.kind) {
    case 'literal':
      return [value.text]
    case 'list':
      return value.members.every(({ kind }) => kind === 'literal') ? value.members.map(({ text }) => text) : null
    case 'range':
      return [value.from.text, value.to.text]
    default:
      return null
  }
}
