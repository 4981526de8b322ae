import { describeScenarios, ok, refused, type Scenario } from './scenarios.ts'

const write = (name: string, body: object, answer: object, as: Scenario['as'] = 'worker'): Scenario => ({
  name,
  as,
  send: `PATCH /rest/v1/table/probe/2001?sysparm_input_display_value=1&sysparm_fields=${Object.keys(answer).join(',')}`,
  body,
  status: 200,
  answer: ok(answer),
  writes: true,
})

describeScenarios('sysparm_input_display_value=1 takes values as people read them (record spec, section 8)', [
  write('a choice by its title', { c_choice: 'ten' }, { c_choice: '10' }),
  write('a choice by its title in the caller’s language', { c_choice: 'Один' }, { c_choice: '1' }, 'moscow'),
  write('a choice by its title in another language', { c_choice: 'Ten' }, { c_choice: '10' }, 'moscow'),
  write('a choice by its value', { c_choice: '2' }, { c_choice: '2' }),
  write(
    'a moment in the caller’s time zone',
    { c_datetime: '2026-03-02 01:30:00' },
    { c_datetime: '2026-03-01 22:30:00' },
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
  {
    name: 'what is neither is refused',
    as: 'worker',
    send: 'PATCH /rest/v1/table/probe/2001?sysparm_input_display_value=1',
    body: { c_choice: 'eleven' },
    status: 422,
    answer: refused(
      'INVALID_VALUE',
      'The value of c_choice is refused: "eleven" is no choice; the choices are 1, 2, 10.',
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
    answer: refused(
      'INVALID_VALUE',
      'The value of c_choice is refused: "Ten" is no choice; the choices are 1, 2, 10.',
      {
        field: 'c_choice',
      },
    ),
  },
  {
    name: 'another value of the parameter is refused',
    as: 'worker',
    send: 'PATCH /rest/v1/table/probe/2001?sysparm_input_display_value=2',
    body: {},
    status: 400,
    answer: refused(
      'BAD_PARAMETER',
      'The parameter sysparm_input_display_value must be 0, 1, true or false; found 2.',
      {
        field: 'sysparm_input_display_value',
      },
    ),
  },
])
