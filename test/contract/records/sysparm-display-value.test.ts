import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const fields = 'sysparm_fields=state,active,company,company.city,assigned_user,opened_at,description'
const get = (
  name: string,
  parameters: string,
  status: number,
  response: unknown,
  as: Scenario['as'] = 'worker',
): Scenario => ({
  name,
  as,
  send: `GET /rest/v1/table/task/1001?${fields}&${parameters}`,
  status,
  response,
})
const link = (table: string, id: string): string => `BASE/rest/v1/table/${table}/${id}`

const stored = ok({
  state: '2',
  active: true,
  company: { value: '301', link: link('company', '301') },
  'company.city': 'London',
  assigned_user: { value: '201', link: link('user', '201') },
  opened_at: '2026-02-01 08:00:00',
  description: null,
})
const displayed = ok({
  state: 'In progress',
  active: true,
  company: { display_value: 'Acme', value: '301', link: link('company', '301') },
  'company.city': 'London',
  assigned_user: { display_value: 'Wanda Worker', value: '201', link: link('user', '201') },
  opened_at: '2026-02-01 08:00:00',
  description: null,
})
const displayedInMoscow = ok({
  state: 'В работе',
  active: true,
  company: { display_value: 'Acme', value: '301', link: link('company', '301') },
  'company.city': 'London',
  assigned_user: { display_value: 'Wanda Worker', value: '201', link: link('user', '201') },
  opened_at: '2026-02-01 11:00:00',
  description: null,
})
const both = ok({
  state: { value: '2', display_value: 'In progress' },
  active: { value: true, display_value: 'Yes' },
  company: { value: '301', display_value: 'Acme', link: link('company', '301') },
  'company.city': { value: 'London', display_value: 'London' },
  assigned_user: { value: '201', display_value: 'Wanda Worker', link: link('user', '201') },
  opened_at: { value: '2026-02-01 08:00:00', display_value: '2026-02-01 08:00:00' },
  description: { value: null, display_value: null },
})
const bad = (found: string): unknown =>
  errorBody('BAD_PARAMETER', `The parameter sysparm_display_value must be 0, 1, true, false or all; found ${found}.`, {
    field: 'sysparm_display_value',
  })

describeScenarios('sysparm_display_value', [
  get('is 0 by default', '', 200, stored),
  get('0: what the database holds', 'sysparm_display_value=0', 200, stored),
  get('false is 0', 'sysparm_display_value=false', 200, stored),
  get('empty is "not given"', 'sysparm_display_value=', 200, stored),
  get('1: what people read', 'sysparm_display_value=1', 200, displayed),
  get('true is 1, in any case', 'sysparm_display_value=TRUE', 200, displayed),
  get('1: in the caller’s language and time zone', 'sysparm_display_value=1', 200, displayedInMoscow, 'moscow'),
  get('0 is UTC for everybody', 'sysparm_display_value=0', 200, stored, 'moscow'),
  get('all: both, side by side', 'sysparm_display_value=all', 200, both),
  get('ALL is all', 'sysparm_display_value=ALL', 200, both),
  get('another value is rejected', 'sysparm_display_value=2', 400, bad('2')),
  get('a word is rejected', 'sysparm_display_value=yes', 400, bad('yes')),
  {
    name: 'holds for the response to a create',
    as: 'worker',
    send: 'POST /rest/v1/table/task?sysparm_display_value=1&sysparm_fields=state,priority,company&sysparm_exclude_reference_link=1',
    body: { subject: 'x', priority: '1', company: '302' },
    status: 200,
    response: ok({ state: 'Registered', priority: 'Critical', company: 'Ромашка' }),
    writes: true,
  },
  {
    name: 'of a PUT',
    as: 'moscow',
    send: 'PUT /rest/v1/table/task/1001?sysparm_display_value=1&sysparm_fields=priority',
    body: { priority: '4' },
    status: 200,
    response: ok({ priority: 'Низкий' }),
    writes: true,
  },
  {
    name: 'of a PATCH',
    as: 'worker',
    send: 'PATCH /rest/v1/table/task/1001?sysparm_display_value=all&sysparm_fields=priority',
    body: { priority: '2' },
    status: 200,
    response: ok({ priority: { value: '2', display_value: 'High' } }),
    writes: true,
  },
  {
    name: 'and of a list',
    as: 'moscow',
    send: 'GET /rest/v1/table/task?sysparm_display_value=1&sysparm_fields=number,state&sysparm_query=stateIN0,10^numberSTARTSWITHINC',
    status: 200,
    response: ok({ number: 'INC0000004', state: 'Зарегистрирована' }, { number: 'INC0000005', state: 'Закрыта' }),
  },
])
