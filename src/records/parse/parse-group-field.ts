import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type GroupField, PERIOD_UNITS } from './record-request.ts'

export function parseGroupField(text: string): Result<GroupField, Problem> {
  const [path = '', unit, ...rest] = text.split(':')
  if (unit === undefined) return succeed({ key: text, path, unit: null })
  const known = PERIOD_UNITS.find((each) => each === unit)
  if (known !== undefined && path !== '' && rest.length === 0) return succeed({ key: text, path, unit: known })
  const expected = `fields, dates also with one of the units ${PERIOD_UNITS.join(', ')}, such as opened_at:week`
  return fail({ kind: 'bad-parameter', parameter: { part: 'group_by' }, found: text, expected })
}
