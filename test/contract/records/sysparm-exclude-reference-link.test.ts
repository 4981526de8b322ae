import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const get = (name: string, parameters: string, status: number, response: unknown): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/task/1001?sysparm_fields=company,company.name,assigned_user.company,description,contact&${parameters}`,
  status,
  response,
})
const company = { value: '301', link: 'BASE/rest/v1/table/company/301' }
const rest = { 'company.name': 'Acme', description: null, contact: null }
const linked = ok({ company, 'assigned_user.company': company, ...rest })
const plain = ok({ company: '301', 'assigned_user.company': '301', ...rest })

describeScenarios('sysparm_exclude_reference_link', [
  get('is 0 by default: a reference is its value and its link, an empty one null', '', 200, linked),
  get('0 is the same', 'sysparm_exclude_reference_link=0', 200, linked),
  get('false is the same', 'sysparm_exclude_reference_link=false', 200, linked),
  get('empty is "not given"', 'sysparm_exclude_reference_link=', 200, linked),
  get('1: the plain identifier', 'sysparm_exclude_reference_link=1', 200, plain),
  get('true is 1', 'sysparm_exclude_reference_link=True', 200, plain),
  get(
    'with display values: the plain display value',
    'sysparm_exclude_reference_link=1&sysparm_display_value=1',
    200,
    ok({ company: 'Acme', 'assigned_user.company': 'Acme', ...rest }),
  ),
  get(
    'with both: no link',
    'sysparm_exclude_reference_link=1&sysparm_display_value=all',
    200,
    ok({
      company: { value: '301', display_value: 'Acme' },
      'company.name': { value: 'Acme', display_value: 'Acme' },
      'assigned_user.company': { value: '301', display_value: 'Acme' },
      description: { value: null, display_value: null },
      contact: { value: null, display_value: null },
    }),
  ),
  get(
    'another value is rejected',
    'sysparm_exclude_reference_link=all',
    400,
    errorBody('BAD_PARAMETER', 'The parameter sysparm_exclude_reference_link must be 0, 1, true or false; found all.', {
      field: 'sysparm_exclude_reference_link',
    }),
  ),
  {
    name: 'holds for the response to a create',
    as: 'worker',
    send: 'POST /rest/v1/table/task?sysparm_exclude_reference_link=1&sysparm_fields=sys_created_by,company',
    body: { subject: 'x', company: '301' },
    status: 200,
    response: ok({ sys_created_by: '201', company: '301' }),
    writes: true,
  },
  {
    name: 'of a PUT',
    as: 'worker',
    send: 'PUT /rest/v1/table/task/1002?sysparm_exclude_reference_link=1&sysparm_fields=company',
    body: { company: '301' },
    status: 200,
    response: ok({ company: '301' }),
    writes: true,
  },
  {
    name: 'and of a PATCH',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1002?sysparm_exclude_reference_link=0&sysparm_fields=company',
    body: { company: '302' },
    status: 200,
    response: ok({ company: { value: '302', link: 'BASE/rest/v1/table/company/302' } }),
    writes: true,
  },
])
