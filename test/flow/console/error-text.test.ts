import { expect, test } from 'vitest'
import { withTitle } from '../../../console/src/form/error-text.ts'
import { errorOf } from '../../../src/http/response/error-messages.ts'

const invalid = (field: string, detail = 'it is longer than 40 characters') =>
  ({ kind: 'invalid-value', field, detail }) as const

test.each([
  ['value', invalid('value'), 'The value of “T” is rejected: it is longer than 40 characters.'],
  ['rejected', invalid('rejected'), 'The value of “T” is rejected: it is longer than 40 characters.'],
  [
    'state',
    invalid('state', 'the state is no state of state_model'),
    'The value of “T” is rejected: the state is no state of state_model.',
  ],
  ['caller', invalid('caller.company'), 'The value of caller.company is rejected: it is longer than 40 characters.'],
  ['state', invalid('state_reason'), 'The value of state_reason is rejected: it is longer than 40 characters.'],
  [
    'column',
    { kind: 'column-denied', action: 'write', table: 'table', column: 'column', where: 'body' },
    'You have no access to write the column “T” of the table table.',
  ],
  [
    'record',
    { kind: 'not-unique', table: 'record', field: 'record' },
    'Another record of the table record has this value of “T”, which must be unique.',
  ],
] as const)('an error about %s displays the title only where it names the column (%#)', (column, problem, text) => {
  expect(withTitle(errorOf(problem).message, column, '“T”')).toBe(text)
})

test.each([
  ['value', invalid('value', 'value is longer'), /^Недопустимое значение «Т»: value is longer/],
  [
    'field',
    { kind: 'column-denied', action: 'read', table: 'field', column: 'field', where: 'body' },
    /столбца «Т» таблицы field\.$/,
  ],
  [
    'table',
    { kind: 'not-unique', table: 'table', field: 'table' },
    /^Значение «Т» должно быть уникальным, а в таблице table /,
  ],
] as const)('in Russian, too: %s', (column, problem, text) => {
  expect(withTitle(errorOf(problem, 'ru').message, column, '«Т»')).toMatch(text)
})
