import type { ConditionTest } from '../condition/condition-tree.ts'

/** What stands in a file is data, whatever it looks like. */
export const literalTest = (name: string, operator: '=' | 'IN', value: string): ConditionTest => ({
  kind: 'test',
  path: [name],
  operator,
  value,
  literal: true,
  position: 0,
})
