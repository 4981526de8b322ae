import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../test/harness/property-seed.ts'
import type { ConditionTree } from '../condition/condition-tree.ts'
import { literal } from '../condition/typed-value.ts'
import { conditionsOn } from './name-records.ts'

const anySysId = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'Ж', '^', '@', ',', '~', '(', ')', '=', ' ', '1'),
    minLength: 1,
    maxLength: 20,
  }),
  fc.string({ minLength: 1, maxLength: 600 }),
)

test('the conditions ask for each sys_id, and for no other', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anySysId, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 25 }),
      (sysIds, max) => {
        const groups = conditionsOn(sysIds, max)
        expect(groups.flatMap((group) => group.sysIds)).toEqual(sysIds)
        for (const { sysIds: of, condition } of groups) {
          expect(of.length).toBeLessThanOrEqual(max)
          expect(namedIn(condition).toSorted()).toEqual([...of].toSorted())
        }
      },
    ),
  )
})

function namedIn(tree: ConditionTree): readonly string[] {
  if (tree.kind === 'any') return tree.of.flatMap(namedIn)
  if (tree.kind !== 'comparison' || tree.path.join('.') !== 'sys_id') throw new Error(JSON.stringify(tree))
  if (tree.operator !== 'IN' || tree.value.kind !== 'list') throw new Error(JSON.stringify(tree))
  expect(tree.value.members).toEqual(tree.value.members.map(({ text }) => literal(text)))
  return tree.value.members.map(({ text }) => text)
}
