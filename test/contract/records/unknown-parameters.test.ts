import { RECORD_PARAMETERS } from '../../../src/contract/record-parameters.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const get = (name: string, parameters: string, ignored: string | undefined, last = '1'): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/task/100${last}?sysparm_fields=number${parameters}`,
  status: 200,
  response: ok({ number: `INC000000${last}` }),
  responseHeaders: { 'x-ignored-parameters': ignored },
})

const remove = (name: string, parameters: string, rest: Omit<Scenario, 'name' | 'as' | 'send'>): Scenario => ({
  name: `on DELETE ${name} (issue 8, B10)`,
  as: 'worker',
  send: `DELETE /rest/v1/table/task/1001?${parameters}`,
  ...rest,
})

describeScenarios('unknown parameters (docs/spec/records.md, section 3)', [
  get('without any there is no word of them', '', undefined),
  get('one is ignored, and the response names it', '&_=1699', '_'),
  get(
    'several are named in order',
    '&sysparm_suppress_pagination_header=1&foo=a&bar',
    'sysparm_suppress_pagination_header, foo, bar',
  ),
  get(
    'one that is close to ours is still another',
    '&sysparm_displayvalue=1&SYSPARM_LIMIT=1',
    'sysparm_displayvalue, SYSPARM_LIMIT',
  ),
  get('a name of other letters is written in its %-form', `&${encodeURIComponent('имя')}=1`, '%D0%B8%D0%BC%D1%8F'),
  {
    name: 'on a write too',
    as: 'worker',
    send: 'PUT /rest/v1/table/task/1001?sysparm_fields=number&dry_run=1',
    body: { subject: 'x' },
    status: 200,
    response: ok({ number: 'INC0000001' }),
    responseHeaders: { 'x-ignored-parameters': 'dry_run' },
    writes: true,
  },
  remove('a parameter close to a known one deletes nothing', 'sysparm_confrim=1', {
    status: 400,
    response: errorBody('BAD_PARAMETER', 'There is no parameter sysparm_confrim here. Did you mean sysparm_confirm?', {
      field: 'sysparm_confrim',
    }),
  }),
  remove('neither does one in capitals', 'SYSPARM_DISPLAYVALUE=1', {
    status: 400,
    response: errorBody(
      'BAD_PARAMETER',
      'There is no parameter SYSPARM_DISPLAYVALUE here. Did you mean sysparm_display_value?',
      { field: 'SYSPARM_DISPLAYVALUE' },
    ),
  }),
  remove('neither does a dry run, which DELETE has not; the known names are listed', 'sysparm_dry_run=1', {
    status: 400,
    response: errorBody(
      'BAD_PARAMETER',
      `There is no parameter sysparm_dry_run here. Known: ${Object.keys(RECORD_PARAMETERS).join(', ')}.`,
      { field: 'sysparm_dry_run' },
    ),
  }),
  remove('others are ignored, and so are those of other operations', '_=1699&sysparm_fields=number', {
    status: 200,
    response: { status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } },
    responseHeaders: { 'x-ignored-parameters': '_, sysparm_fields' },
    writes: true,
  }),
  get(
    'one of lists is named on a single record',
    '&sysparm_max_text=5&sysparm_limit=3',
    'sysparm_max_text, sysparm_limit',
    '2',
  ),
  get('one of lists without a value is not given', '&sysparm_limit=', undefined, '2'),
  {
    name: 'a condition on a write is named: it does not restrict the write',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1002?sysparm_fields=priority&sysparm_query=state%3D10&sysparm_rights=1',
    body: { priority: '4' },
    status: 200,
    response: ok({ priority: '4' }),
    responseHeaders: { 'x-ignored-parameters': 'sysparm_query, sysparm_rights' },
    writes: true,
  },
])
