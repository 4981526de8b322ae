import type { DisplayedChoice } from '../catalog/catalog.ts'
import type { ConditionTest, ConditionTree, ConditionValue } from '../condition/condition-tree.ts'
import type { Operator } from '../condition/operators.ts'
import { literal } from '../condition/typed-value.ts'

/** A comparison with what is shown as one with all stored values that show so. Rows of one kind of classes. */
export function withStored(test: ConditionTest, { classes: [shown] }: DisplayedChoice): ConditionTree {
  const { operator, value } = test
  const positive = POSITIVE[operator] ?? operator
  const holds = HOLDS[positive]
  const texts = textsOf(value)
  if (shown === undefined || holds === undefined || texts === null) return test
  const mapped = [...shown.texts.keys()]
  const keys = [...shown.texts].filter(([, text]) => holds(text, texts)).map(([key]) => key)
  // What is stored but not in the map is shown as it is.
  const rest: ConditionTree = {
    kind: 'all',
    of: [
      { ...test, operator: 'NOT IN', value: listOf(mapped) },
      { ...test, operator: positive },
    ],
  }
  if (positive === '=' || positive === 'IN') {
    const members = [...keys, ...texts.filter((text) => !shown.texts.has(text))]
    if (positive === operator)
      return members.length === 0 ? never(test) : { ...test, operator: 'IN', value: listOf(members) }
    return members.length === 0
      ? { ...test, operator: 'ANYTHING', value: { kind: 'none' } }
      : { ...test, operator: 'NOT IN', value: listOf(members) }
  }
  if (positive === operator) {
    return keys.length === 0 ? rest : { kind: 'any', of: [{ ...test, operator: 'IN', value: listOf(keys) }, rest] }
  }
  const others: ConditionTree = {
    kind: 'any',
    of: [{ ...test, operator: 'IN', value: listOf(mapped) }, test],
  }
  return keys.length === 0
    ? others
    : { kind: 'all', of: [{ ...test, operator: 'NOT IN', value: listOf(keys) }, others] }
}

const listOf = (texts: readonly string[]): ConditionValue => ({ kind: 'list', members: texts.map(literal) })

const never = (test: ConditionTest): ConditionTree => {
  const none = { kind: 'none' } as const
  return {
    kind: 'all',
    of: [
      { ...test, operator: 'ISEMPTY', value: none },
      { ...test, operator: 'ISNOTEMPTY', value: none },
    ],
  }
}

const POSITIVE: { readonly [O in Operator]?: Operator } = {
  '!=': '=',
  'NOT IN': 'IN',
  'NOT LIKE': 'LIKE',
  NOTSTARTSWITH: 'STARTSWITH',
}

/** In the order of choices: numbers by their value. */
const inOrder = (one: string, other: string): number => Number(one) - Number(other)

const HOLDS: { readonly [O in Operator]?: (shown: string, texts: readonly string[]) => boolean } = {
  '=': (shown, [text = '']) => shown === text.toLowerCase(),
  IN: (shown, texts) => texts.some((text) => shown === text.toLowerCase()),
  LIKE: (shown, [text = '']) => shown.includes(text.toLowerCase()),
  STARTSWITH: (shown, [text = '']) => shown.startsWith(text.toLowerCase()),
  ENDSWITH: (shown, [text = '']) => shown.endsWith(text.toLowerCase()),
  '<': (shown, [text = '']) => inOrder(shown, text) < 0,
  '>': (shown, [text = '']) => inOrder(shown, text) > 0,
  '<=': (shown, [text = '']) => inOrder(shown, text) <= 0,
  '>=': (shown, [text = '']) => inOrder(shown, text) >= 0,
  BETWEEN: (shown, [from = '', to = '']) => inOrder(shown, from) >= 0 && inOrder(shown, to) <= 0,
}

/** null: no texts that are known by now. */
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
