import { sql } from '../../../src/kernel/sql.ts'
import { rule } from '../records/fixture.ts'
import { describeScenarios, type Scenario } from '../records/scenarios.ts'
import { failed, id, result, servedIds } from './expected.ts'

const DISPLAYED = { display_value: '********', value: '' }
const worker = `/api/now/table/sys_user/${id(201)}`
const probe = (sysId: number): string => `/api/now/table/probe/${id(sysId)}`
const DENIED = failed(
  'Insufficient rights to query records',
  'Field(s) present in the query do not have permission to be read: user_password',
)

/** Values that a read gives for a secret. */
const asRead = ['', null, '********', DISPLAYED, { value: '' }, { display_value: '********' }]

const scenarios: readonly Scenario[] = [
  {
    name: 'the value of a secret is empty, its display value says that it is set',
    as: 'worker',
    send: `GET ${probe(2001)}?sysparm_fields=c_password,c_encrypted&sysparm_display_value=all`,
    status: 200,
    response: { result: { c_password: DISPLAYED, c_encrypted: { display_value: '', value: '' } } },
  },
  {
    name: 'also behind a reference',
    as: 'admin',
    send: `GET /api/now/table/incident/${id(1001)}?sysparm_fields=assigned_to.user_password&sysparm_display_value=all`,
    status: 200,
    response: { result: { 'assigned_to.user_password': DISPLAYED } },
  },
  {
    name: 'a caller who may not read the column has no key',
    as: 'reader',
    send: `GET ${worker}?sysparm_fields=user_name,user_password&sysparm_display_value=true`,
    status: 200,
    response: { result: { user_name: 'worker' } },
  },
  ...['user_passwordISNOTEMPTY', 'ORDERBYuser_password', 'user_password=x'].map(
    (query): Scenario => ({
      name: `no condition and no order reads a secret: ${query}`,
      as: 'admin',
      send: `GET /api/now/table/sys_user?sysparm_query=${query}`,
      status: 403,
      response: DENIED,
    }),
  ),
  ...asRead.map(
    (value): Scenario => ({
      name: `what a read gives changes no secret: ${JSON.stringify(value)}`,
      as: 'admin',
      send: `PATCH ${worker}?sysparm_fields=user_name,user_password&sysparm_display_value=all`,
      body: { user_password: value },
      status: 200,
      response: { result: { user_name: { display_value: 'worker', value: 'worker' }, user_password: DISPLAYED } },
      responseHeaders: { 'x-ignored-fields': 'user_password' },
    }),
  ),
  {
    name: 'so the user still signs in with the password',
    as: 'worker',
    send: `GET ${worker}?sysparm_fields=user_name`,
    status: 200,
    response: { result: { user_name: 'worker' } },
  },
  {
    name: 'another text is a new secret',
    as: 'admin',
    send: `PATCH ${worker}?sysparm_fields=user_name`,
    body: { user_password: 'another good password' },
    status: 200,
    response: { result: { user_name: 'worker' } },
    responseHeaders: { 'x-ignored-fields': undefined },
    writes: true,
  },
  {
    name: 'and ends the one before',
    as: 'worker',
    send: `GET ${worker}`,
    status: 401,
    response: failed('User Not Authenticated', 'Required to provide Auth information'),
  },
  {
    name: 'a list has them, too',
    as: 'admin',
    send: 'GET /api/now/table/probe?sysparm_query=ORDERBYsys_id&sysparm_fields=c_password&sysparm_display_value=true',
    status: 200,
    response: result({ c_password: '********' }, { c_password: '' }, { c_password: '' }),
  },
]

describeScenarios('passwords and encrypted columns in /api/now (issue 15, sections 5 and 13)', scenarios, [
  servedIds,
  rule({ operation: 'read', table: 'user', column: 'password', roles: ['itil'] }),
  sql`update docket.probe set c_encrypted = '' where sys_id = 2001`,
])
