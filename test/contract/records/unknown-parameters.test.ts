import { describeScenarios, ok, type Scenario } from './scenarios.ts'

const get = (name: string, parameters: string, ignored: string | undefined): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/task/1001?sysparm_fields=number${parameters}`,
  status: 200,
  answer: ok({ number: 'INC0000001' }),
  answerHeaders: { 'x-ignored-parameters': ignored },
})

describeScenarios('unknown parameters (record spec, section 3)', [
  get('without any there is no word of them', '', undefined),
  get('one is ignored, and the answer names it', '&_=1699', '_'),
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
    answer: ok({ number: 'INC0000001' }),
    answerHeaders: { 'x-ignored-parameters': 'dry_run' },
    writes: true,
  },
])
