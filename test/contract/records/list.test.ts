import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const link = (query: string, rel: string): string => `<BASE/rest/v1/table/${query}>; rel="${rel}"`
const get = (name: string, path: string, response: unknown, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  as: 'worker',
  send: `GET /rest/v1/table/${path}`,
  status: 200,
  response,
  ...rest,
})

describeScenarios('reading many records (docs/spec/records.md, section 3)', [
  get(
    'responds with an array of records, by sys_id',
    'company',
    ok(
      {
        sys_id: '301',
        sys_created_at: '2026-03-02 10:00:00',
        sys_created_by: null,
        sys_updated_at: '2026-03-02 10:00:00',
        sys_updated_by: null,
        sys_db_table_id: 'company',
        name: 'Acme',
        phone: null,
        email: null,
        website: null,
        city: 'London',
        country: null,
        active: true,
      },
      {
        sys_id: '302',
        sys_created_at: '2026-03-02 10:00:00',
        sys_created_by: null,
        sys_updated_at: '2026-03-02 10:00:00',
        sys_updated_by: null,
        sys_db_table_id: 'company',
        name: 'Ромашка',
        phone: null,
        email: null,
        website: null,
        city: 'Москва',
        country: null,
        active: true,
      },
    ),
    {
      responseHeaders: {
        'x-total-count': '2',
        link: `${link('company?sysparm_page=1', 'first')}, ${link('company?sysparm_page=1', 'last')}`,
        'content-type': 'application/json; charset=utf-8',
      },
    },
  ),
  get('that finds nothing is an empty array', 'company?sysparm_query=name=nothing', ok(), {
    responseHeaders: { 'x-total-count': '0' },
  }),
  get('a table without records is one too', 'sys_filter', ok(), {
    as: 'admin',
    responseHeaders: { 'x-total-count': '0' },
  }),
  get(
    'ends every order in sys_id, so that equal rows stand still',
    'task?sysparm_query=ORDERBYstate&sysparm_fields=sys_id,state',
    ok(
      { sys_id: '1004', state: '0' },
      { sys_id: '1006', state: '0' },
      { sys_id: '1007', state: '0' },
      { sys_id: '1008', state: '0' },
      { sys_id: '1003', state: '1' },
      { sys_id: '1001', state: '2' },
      { sys_id: '1002', state: '2' },
      { sys_id: '1005', state: '10' },
    ),
  ),
  get('an unknown table', 'nothing', errorBody('TABLE_NOT_FOUND', 'There is no table nothing.'), { status: 404 }),
  get(
    'counts only what the caller may read',
    'task?sysparm_fields=number&sysparm_limit=1',
    ok({ number: 'INC0000001' }),
    {
      as: 'reader',
      responseHeaders: { 'x-total-count': '2' },
    },
  ),
])
