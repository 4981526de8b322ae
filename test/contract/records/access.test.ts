import { sql } from '../../../src/kernel/sql.ts'
import { rule } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const noRecord = (table: string, id: string): unknown =>
  errorBody('RECORD_NOT_FOUND', `The table ${table} has no record ${id} that you may read.`)

describeScenarios('rules of tables (docs/spec/records.md, section 7)', [
  {
    name: 'without credentials nothing is told but how to get them',
    as: null,
    send: 'GET /rest/v1/table/task',
    status: 401,
    response: errorBody(
      'UNAUTHENTICATED',
      'Credentials are needed: the header Authorization with Bearer <access key> or Basic, or X-API-Key. POST /v1/auth/login gives an access key.',
    ),
  },
  {
    name: 'no rule at any level: rejected',
    as: 'nobody',
    send: 'GET /rest/v1/table/task',
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You have no access to read the records of the table task.'),
  },
  {
    name: 'a delete without the right to delete is rejected and the record stays',
    as: 'reader',
    send: 'DELETE /rest/v1/table/task/1001',
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You have no access to delete the records of the table task.'),
  },
  {
    name: 'a condition leaves out the rows that it is not true for, and counts without them',
    as: 'reader',
    send: 'GET /rest/v1/table/task?sysparm_fields=number',
    status: 200,
    response: ok({ number: 'INC0000001' }, { number: 'INC0000002' }),
    responseHeaders: { 'x-total-count': '2' },
  },
  {
    name: 'a row that may not be read is absent by its id',
    as: 'reader',
    send: 'GET /rest/v1/table/task/1003',
    status: 404,
    response: noRecord('task', '1003'),
  },
  {
    name: 'a row that does not exist gets the same response',
    as: 'reader',
    send: 'GET /rest/v1/table/task/1999',
    status: 404,
    response: noRecord('task', '1999'),
  },
  {
    name: 'so does an id that is no number',
    as: 'reader',
    send: 'GET /rest/v1/table/task/abc',
    status: 404,
    response: noRecord('task', 'abc'),
  },
  {
    name: 'a table that nobody wrote a rule for is rejected to all but administrators',
    as: 'worker',
    send: 'GET /rest/v1/table/sys_property',
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You have no access to read the records of the table sys_property.'),
  },
  {
    name: 'an administrator is above the rules',
    as: 'admin',
    send: 'GET /rest/v1/table/sys_property?sysparm_query=name=rest.limit.max&sysparm_fields=value',
    status: 200,
    response: ok({ value: '10000' }),
  },
])

describeScenarios(
  'rules of a child are asked for its rows, whichever path they are read by',
  [
    {
      name: 'by the path of the parent',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=sys_idIN1006,1007,1008&sysparm_fields=number',
      status: 200,
      response: ok({ number: 'TSK0000006' }, { number: 'PRB0000008' }),
    },
    {
      name: 'by its own path',
      as: 'worker',
      send: 'GET /rest/v1/table/itsm_change_request',
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to read the records of the table itsm_change_request.'),
    },
    {
      name: 'by its id under the parent',
      as: 'worker',
      send: 'GET /rest/v1/table/task/1007',
      status: 404,
      response: noRecord('task', '1007'),
    },
    {
      name: 'a rule without admin_overrides binds administrators too',
      as: 'admin',
      send: 'GET /rest/v1/table/itsm_change_request',
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to read the records of the table itsm_change_request.', {
        explain: 'BASE/rest/v1/acl/explain?table=itsm_change_request&operation=read&user=admin',
      }),
    },
    {
      name: 'a rule that is not active is none',
      as: 'worker',
      send: 'GET /rest/v1/table/itsm_problem?sysparm_fields=number',
      status: 200,
      response: ok({ number: 'PRB0000008' }),
    },
  ],
  [
    sql`insert into docket.sys_role (name) values ('auditor')`,
    rule({ operation: 'read', table: 'itsm_change_request', roles: ['auditor'], adminOverrides: false }),
    rule({ operation: 'read', table: 'itsm_problem', roles: ['auditor'], active: false }),
  ],
)

describeScenarios(
  'rules of columns',
  [
    {
      name: 'an unreadable column has no key',
      as: 'worker',
      send: 'GET /rest/v1/table/task/1001?sysparm_fields=number,description,priority',
      status: 200,
      response: ok({ number: 'INC0000001', priority: '1' }),
    },
    {
      name: 'a query on it is rejected with its name and position',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=active=true^descriptionISEMPTY',
      status: 403,
      response: errorBody(
        'ACCESS_DENIED',
        'You have no access to read the column description of the table task, which the query names.',
        {
          field: 'description',
          position: 12,
        },
      ),
    },
    {
      name: 'so is an order by it',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=ORDERBYdescription',
      status: 403,
      response: errorBody(
        'ACCESS_DENIED',
        'You have no access to read the column description of the table task, which the order names.',
        {
          field: 'description',
          position: 0,
        },
      ),
    },
    {
      name: 'a write of a column that may not be written is rejected with its name, and nothing is written',
      as: 'worker',
      send: 'PUT /rest/v1/table/task/1001',
      body: { subject: 'x', priority: '4' },
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to write the column priority of the table task.', {
        field: 'priority',
      }),
    },
    {
      name: 'a column that is readable on some rows has its key on those only',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=sys_idIN1001,1002,1003&sysparm_fields=number,opened_at',
      status: 200,
      response: ok(
        { number: 'INC0000001', opened_at: '2026-02-01 08:00:00' },
        { number: 'INC0000002', opened_at: '2026-02-02 08:00:00' },
        { number: 'INC0000003' },
      ),
    },
    {
      name: 'elsewhere it counts as empty in a condition',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=sys_idIN1001,1002,1003^opened_atISEMPTY&sysparm_fields=number',
      status: 200,
      response: ok({ number: 'INC0000003' }),
      responseHeaders: { 'x-total-count': '1' },
    },
    {
      name: 'and in an order',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=sys_idIN1001,1002,1003^ORDERBYDESCopened_at&sysparm_fields=number',
      status: 200,
      response: ok({ number: 'INC0000003' }, { number: 'INC0000002' }, { number: 'INC0000001' }),
    },
    {
      name: 'a column that may be written on some rows only is judged before the write',
      as: 'worker',
      send: 'PUT /rest/v1/table/task/1004',
      body: { urgency: '1' },
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to write the column urgency of the table task.', {
        field: 'urgency',
      }),
    },
    {
      name: 'and after it',
      as: 'worker',
      send: 'PUT /rest/v1/table/task/1001',
      body: { urgency: '1', state: '0' },
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to write the column urgency of the table task.', {
        field: 'urgency',
      }),
    },
    {
      name: 'where the condition holds before and after, it is written',
      as: 'worker',
      send: 'PUT /rest/v1/table/task/1001?sysparm_fields=urgency',
      body: { urgency: '1' },
      status: 200,
      response: ok({ urgency: '1' }),
      writes: true,
    },
    {
      name: 'a rule of the column beats a rule of all columns',
      as: 'reader',
      send: 'GET /rest/v1/table/company/301?sysparm_fields=name,city',
      status: 200,
      response: ok({ name: 'Acme' }),
    },
  ],
  [
    rule({ operation: 'read', table: 'task', column: 'description', roles: ['admin'] }),
    rule({ operation: 'write', table: 'task', column: 'priority', roles: ['admin'] }),
    rule({
      operation: 'read',
      table: 'task',
      column: 'opened_at',
      condition: 'callerISNOTEMPTY^caller.user_name=reader',
    }),
    rule({ operation: 'write', table: 'task', column: 'urgency', condition: 'state=2' }),
    rule({ operation: 'read', table: 'company', column: '*', roles: ['admin'] }),
    rule({ operation: 'read', table: 'company', column: 'name' }),
  ],
)

describeScenarios(
  'walking through a reference',
  [
    {
      name: 'to a record that may not be read gives null in fields',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=sys_idIN1001,1002&sysparm_fields=number,company,company.name&sysparm_exclude_reference_link=1',
      status: 200,
      response: ok(
        { number: 'INC0000001', company: '301', 'company.name': 'Acme' },
        { number: 'INC0000002', company: '302', 'company.name': null },
      ),
    },
    {
      name: 'its display value is not told either',
      as: 'worker',
      send: 'GET /rest/v1/table/task/1002?sysparm_fields=company&sysparm_display_value=1',
      status: 200,
      response: ok({ company: { display_value: null, value: '302', link: 'BASE/rest/v1/table/company/302' } }),
    },
    {
      name: 'and its values find nothing',
      as: 'worker',
      send: `GET /rest/v1/table/task?sysparm_query=company.name=${encodeURIComponent('ромашка')}`,
      status: 200,
      response: ok(),
      responseHeaders: { 'x-total-count': '0' },
    },
    {
      name: 'into a table that may not be read is null in fields',
      as: 'worker',
      send: 'GET /rest/v1/table/task/1001?sysparm_fields=number,service.name,service.owner.user_name',
      status: 200,
      response: ok({ number: 'INC0000001', 'service.name': null, 'service.owner.user_name': null }),
    },
    {
      name: 'and rejected in a query, on every segment of the path',
      as: 'worker',
      send: 'GET /rest/v1/table/task?sysparm_query=service.owner.user_name=worker',
      status: 403,
      response: errorBody(
        'ACCESS_DENIED',
        'You have no access to read the column owner of the table service, which the query names.',
        {
          field: 'owner',
          position: 0,
        },
      ),
    },
    {
      name: 'a reference cannot be set to a record that may not be read, as if there was none',
      as: 'worker',
      send: 'PUT /rest/v1/table/task/1001',
      body: { company: '302' },
      status: 422,
      response: errorBody('INVALID_VALUE', 'The value of company is rejected: there is no such record in company.', {
        field: 'company',
      }),
    },
  ],
  [
    sqlDeactivate('service'),
    sqlDeactivate('company'),
    rule({ operation: 'read', table: 'company', roles: ['user'], condition: 'city=London' }),
  ],
)

function sqlDeactivate(table: string): ReturnType<typeof rule> {
  return sql`update docket.sys_security_acl set active = false where table_name = ${table}`
}

const owned = (name: string, scenario: Omit<Scenario, 'name' | 'as'>): Scenario => ({ name, as: 'worker', ...scenario })

describeScenarios(
  'conditions of writes',
  [
    owned('a create is judged by the new row', {
      send: 'POST /rest/v1/table/itsm_problem',
      body: { subject: 'x', priority: '1' },
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to create this record of the table itsm_problem.'),
    }),
    owned('and made where it fits', {
      send: 'POST /rest/v1/table/itsm_problem?sysparm_fields=sys_id,number,priority',
      body: { subject: 'x', priority: '4' },
      status: 200,
      response: ok({ sys_id: '177244560000000002', number: 'PRB0001002', priority: '4' }),
      writes: true,
    }),
    owned('a change is judged by the row before', {
      send: 'PUT /rest/v1/table/itsm_problem/1008',
      body: { subject: 'x' },
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to write this record of the table itsm_problem.'),
    }),
    owned('and by the row after', {
      send: 'PUT /rest/v1/table/itsm_problem/177244560000000002',
      body: { priority: '1' },
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to write this record of the table itsm_problem.'),
    }),
    owned('a delete by the row that goes', {
      send: 'DELETE /rest/v1/table/itsm_problem/1008',
      status: 403,
      response: errorBody('ACCESS_DENIED', 'You have no access to delete this record of the table itsm_problem.'),
    }),
    owned('and where the condition holds it goes', {
      send: 'DELETE /rest/v1/table/itsm_problem/177244560000000002',
      status: 200,
      response: { status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } },
      writes: true,
    }),
  ],
  (['create', 'write', 'delete'] as const).map((operation) =>
    rule({ operation, table: 'itsm_problem', roles: ['itil'], condition: 'priority=4' }),
  ),
)
