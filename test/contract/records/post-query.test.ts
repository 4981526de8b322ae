import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const call = (name: string, body: unknown, response: unknown, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  as: 'worker',
  send: 'POST /rest/v1/table/task/query',
  body,
  status: 200,
  response,
  ...rest,
})
const badParameter = (field: string, message: string): unknown => errorBody('BAD_PARAMETER', message, { field })

describeScenarios('POST …/query is a list whose parameters come as JSON (docs/spec/records.md, section 3)', [
  call(
    'takes what a URL takes',
    { sysparm_query: 'state=2^ORDERBYDESCnumber', sysparm_fields: 'number,state', sysparm_limit: 1, sysparm_page: 2 },
    ok({ number: 'INC0000001', state: '2' }),
    { responseHeaders: { 'x-total-count': '2' } },
  ),
  call(
    'fields may be a list',
    { sysparm_fields: ['number', 'company.name'], sysparm_limit: 1 },
    ok({ number: 'INC0000001', 'company.name': 'Acme' }),
  ),
  call(
    'flags may be booleans',
    { sysparm_fields: 'company', sysparm_limit: 1, sysparm_display_value: true, sysparm_exclude_reference_link: true },
    ok({ company: 'Acme' }),
  ),
  call(
    'nothing is escaped: %, + and Cyrillic stand for themselves',
    { sysparm_query: 'subjectLIKE100%^ORsubjectLIKEпринтер', sysparm_fields: 'number' },
    ok({ number: 'INC0000002' }, { number: 'INC0000003' }),
  ),
  call(
    'a query too long for a URL',
    {
      sysparm_query: `sys_idIN${Array.from({ length: 5000 }, (_, n) => 1001 + n * 2).join(',')}`,
      sysparm_fields: 'number',
    },
    ok({ number: 'INC0000001' }, { number: 'INC0000003' }, { number: 'INC0000005' }, { number: 'CHG0000007' }),
  ),
  call(
    'null is "not given"',
    { sysparm_limit: null, sysparm_query: 'state=1', sysparm_fields: 'number' },
    ok({ number: 'INC0000003' }),
  ),
  call('an empty object lists everything', {}, ok({ number: 'INC0000001' }, { number: 'INC0000002' }), {
    as: 'reader',
    send: 'POST /rest/v1/table/task/query?sysparm_fields=number',
  }),
  call('makes no record, whatever the body looks like', { subject: 'No record' }, ok({ number: 'INC0000003' }), {
    send: 'POST /rest/v1/table/task/query?sysparm_fields=number&sysparm_query=state=1',
    responseHeaders: { 'x-ignored-parameters': 'subject' },
  }),
  call(
    'a parameter in both places is rejected',
    { sysparm_limit: 1 },
    badParameter(
      'sysparm_limit',
      'The parameter sysparm_limit must be given in the URL or in the body; found it in both.',
    ),
    {
      send: 'POST /rest/v1/table/task/query?sysparm_limit=2',
      status: 400,
    },
  ),
  call(
    'an object is no parameter',
    { sysparm_query: { state: 2 } },
    badParameter(
      'sysparm_query',
      'The parameter sysparm_query must be a string, a number, a boolean or a list of these; found an object.',
    ),
    {
      status: 400,
    },
  ),
  call(
    'a list is no object of parameters',
    [],
    errorBody('BAD_JSON', 'The body must be a JSON object of parameters; found a list.'),
    {
      status: 400,
    },
  ),
  call(
    'errors of the query keep their position',
    { sysparm_query: 'active=true^stat=2' },
    errorBody(
      'BAD_QUERY',
      'The query cannot be read at position 12: there is no column stat in task; did you mean state?',
      {
        field: 'stat',
        position: 12,
      },
    ),
    {
      status: 400,
    },
  ),
])

describeScenarios('aggregates and exports take their parameters as JSON, too', [
  call(
    'aggregates',
    {
      sysparm_query: `number!=${'x'.repeat(30_000)}^priority=2`,
      sysparm_group_by: ['state'],
      sysparm_order_by: 'state',
    },
    ok({ group: { state: '1' }, count: 1 }, { group: { state: '2' }, count: 1 }),
    { send: 'POST /rest/v1/stats/task/query' },
  ),
])
