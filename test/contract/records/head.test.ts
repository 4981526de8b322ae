import { describeScenarios, type Scenario } from './scenarios.ts'

const head = (name: string, path: string, rest: Pick<Scenario, 'responseHeaders'> & Partial<Scenario>): Scenario => ({
  name,
  as: 'worker',
  send: `HEAD /rest/v1/table/${path}`,
  status: 200,
  ...rest,
})
const page = (number: number, rel: string) =>
  `<BASE/rest/v1/table/task?sysparm_limit=3&sysparm_page=${number}>; rel="${rel}"`
const cursor = '<BASE/rest/v1/table/task?sysparm_limit=3&sysparm_cursor=WyIxMDAzIiwidURHdnV2Il0>; rel="cursor"'

describeScenarios('HEAD gives the headers only (docs/spec/records.md, section 3)', [
  head('of a list', 'task?sysparm_limit=3', {
    responseHeaders: {
      'x-total-count': '8',
      'x-next-cursor': 'WyIxMDAzIiwidURHdnV2Il0',
      link: [page(1, 'first'), page(2, 'next'), page(3, 'last'), cursor].join(', '),
    },
  }),
  head('of a list under a condition of a rule', 'task', { as: 'reader', responseHeaders: { 'x-total-count': '2' } }),
  head('of one record', 'company/301', { responseHeaders: { 'x-total-count': undefined } }),
  head('of a record that is not there', 'task/1999', { status: 404, responseHeaders: { etag: undefined } }),
  head('of a table that may not be read', 'sys_property', {
    status: 403,
    responseHeaders: { 'x-total-count': undefined },
  }),
])
