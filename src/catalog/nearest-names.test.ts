import { expect, test } from 'vitest'
import { nearestNames } from './nearest-names.ts'

const names = [
  'task',
  'itsm_task',
  'itsm_incident',
  'user',
  'sys_group',
  'state',
  'state_changed_at',
  'service',
  'company',
]

test.each([
  ['itsm_incidnt', ['itsm_incident']],
  ['incident', ['itsm_incident']],
  ['tasks', ['task']],
  ['stat', ['state']],
  ['State', ['state']],
  ['itsmincident', ['itsm_incident']],
  ['сompany', ['company']],
  ['wholly_other', []],
  ['', []],
  ['x'.repeat(1_000_000), []],
])('%s', (wanted, near) => {
  expect(nearestNames(wanted, names)).toEqual(near)
})

test('a name of one character is near only to the same character in the other case', () => {
  expect(nearestNames('K', ['query', 'k', 'l'])).toEqual(['k'])
  expect(nearestNames('_', ['query', '_'])).toEqual([])
})
