import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const write = (name: string, body: object, response: object, as: Scenario['as'] = 'worker'): Scenario => ({
  name,
  as,
  send: `PATCH /rest/v1/table/probe/2001?sysparm_input_display_value=1&sysparm_fields=${Object.keys(response).join(',')}`,
  body,
  status: 200,
  response: ok(response),
  writes: true,
})

const rejected = (name: string, body: Readonly<Record<string, unknown>>, message: string): Scenario => ({
  name: `${name} (issue 8, B3)`,
  as: 'worker',
  send: 'PATCH /rest/v1/table/probe/2001?sysparm_input_display_value=1',
  body,
  status: 422,
  response: errorBody('INVALID_VALUE', message, { field: Object.keys(body)[0] ?? '' }),
})

describeScenarios('sysparm_input_display_value=1 takes values as people read them (docs/spec/records.md, section 8)', [
  write('a choice by its title', { c_choice: 'ten' }, { c_choice: '10' }),
  write('a choice by its title in the caller’s language', { c_choice: 'Один' }, { c_choice: '1' }, 'moscow'),
  write('a choice by its title in another language', { c_choice: 'Ten' }, { c_choice: '10' }, 'moscow'),
  write('a choice by its value', { c_choice: '2' }, { c_choice: '2' }),
  write(
    'a moment in the caller’s time zone',
    { c_datetime: '2026-03-02 01:31:00' },
    { c_datetime: '2026-03-01 22:31:00' },
    'moscow',
  ),
  write(
    'a moment with a zone of its own',
    { c_datetime: '2026-03-02T01:30:00Z' },
    { c_datetime: '2026-03-02 01:30:00' },
    'moscow',
  ),
  write('Yes and No', { c_boolean: 'No' }, { c_boolean: false }),
  write('Да и Нет', { c_boolean: 'Да' }, { c_boolean: true }, 'moscow'),
  write('a percentage', { c_percent: '70%' }, { c_percent: 70 }),
  write('a number with separators', { c_decimal: '12,345.60' }, { c_decimal: '12345.60' }),
  write(
    'a number with separators of another language',
    { c_decimal: '12 345,70' },
    { c_decimal: '12345.70' },
    'moscow',
  ),
  write('a duration with units', { c_duration: '2 d 3 h 5 m' }, { c_duration: '183900000' }),
  write('a duration in Russian', { c_duration: '1 ч 5 мин' }, { c_duration: '3900000' }),
  write('a duration with seconds, below zero', { c_duration: '-1 m 30 s' }, { c_duration: '-90000' }),
  write('a duration in milliseconds', { c_duration: '3900000' }, { c_duration: '3900000' }),
  write('an increment by a duration', { c_duration: { increment: '1 h' } }, { c_duration: '7500000' }),
  write('weekdays by name', { c_days: 'Monday, sunday' }, { c_days: 65 }),
  write('weekdays in Russian', { c_days: 'Вторник' }, { c_days: 2 }, 'moscow'),
  write('JSON as a text', { c_json: '{"a": [2, null]}' }, { c_json: { a: [2, null] } }),
  rejected(
    'a duration in another form is rejected',
    { c_duration: '5 m 1 h' },
    'The value of c_duration is rejected: a duration such as 2 d 3 h 5 m, or whole milliseconds are expected, found "5 m 1 h".',
  ),
  rejected(
    'a name that is no weekday is rejected',
    { c_days: 'Monday, Funday' },
    'The value of c_days is rejected: names of weekdays such as Monday, Friday, or a number from 0 to 127 are expected, found "Monday, Funday".',
  ),
  rejected(
    'a comma that parts no thousands is rejected',
    { c_decimal: '1,5' },
    'The value of c_decimal is rejected: a number with at most two digits after the point is expected, found "1,5".',
  ),
  {
    name: 'what is neither is rejected',
    as: 'worker',
    send: 'PATCH /rest/v1/table/probe/2001?sysparm_input_display_value=1',
    body: { c_choice: 'eleven' },
    status: 422,
    response: errorBody(
      'INVALID_VALUE',
      'The value of c_choice is rejected: "eleven" is not a choice; the choices are One (1), Two (2), Ten (10).',
      {
        field: 'c_choice',
      },
    ),
  },
  {
    name: 'without it a title is no value',
    as: 'worker',
    send: 'PATCH /rest/v1/table/probe/2001',
    body: { c_choice: 'Ten' },
    status: 422,
    response: errorBody(
      'INVALID_VALUE',
      'The value of c_choice is rejected: "Ten" is not a choice; the choices are 1, 2, 10.',
      {
        field: 'c_choice',
      },
    ),
  },
  {
    name: 'another value of the parameter is rejected',
    as: 'worker',
    send: 'PATCH /rest/v1/table/probe/2001?sysparm_input_display_value=2',
    body: {},
    status: 400,
    response: errorBody(
      'BAD_PARAMETER',
      'The parameter sysparm_input_display_value must be 0, 1, true or false; found 2.',
      {
        field: 'sysparm_input_display_value',
      },
    ),
  },
])
