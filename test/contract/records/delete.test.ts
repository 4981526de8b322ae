import { sql } from '../../../src/kernel/sql.ts'
import { rule } from './fixture.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const remove = (
  name: string,
  path: string,
  rest: Omit<Scenario, 'name' | 'as' | 'send'> & Partial<Scenario>,
): Scenario => ({
  name,
  as: 'worker',
  send: `DELETE /rest/v1/table/${path}`,
  ...rest,
})
const gone = (description: string) => ({ status: 'OK', data: { description, count: 1 } })

describeScenarios('deleting a record (docs/spec/records.md, section 3)', [
  remove('without the right is rejected, and the record stays', 'task/1001', {
    as: 'reader',
    status: 403,
    response: errorBody('ACCESS_DENIED', 'You have no access to delete the records of the table task.'),
  }),
  remove('is told in the contract’s envelope', 'itsm_incident/1001', {
    status: 200,
    response: gone('Records successfully deleted.'),
    writes: true,
  }),
  {
    name: 'and the record is gone',
    as: 'worker',
    send: 'GET /rest/v1/table/task?sysparm_query=sys_id=1001',
    status: 200,
    response: ok(),
  },
  remove('a second time there is nothing to delete', 'itsm_incident/1001', {
    status: 404,
    response: errorBody('RECORD_NOT_FOUND', 'The table itsm_incident has no record 1001 that you may read.'),
  }),
  remove('is told in the caller’s language', 'task/1002', {
    as: 'moscow',
    status: 200,
    response: gone('Записи успешно удалены.'),
    writes: true,
  }),
  remove('of a child’s record by the parent’s path', 'task/1008', {
    status: 200,
    response: gone('Records successfully deleted.'),
    writes: true,
  }),
  remove('of a record of another table is none', 'itsm_problem/1003', {
    status: 404,
    response: errorBody('RECORD_NOT_FOUND', 'The table itsm_problem has no record 1003 that you may read.'),
  }),
  remove('of a record that others refer to is rejected, with their table', 'company/301', {
    as: 'admin',
    status: 409,
    response: errorBody('CONFLICT', 'The record cannot be deleted: records of user refer to it.', {
      reason: 'referenced',
    }),
  }),
  remove('without a sys_id there is no such method', 'task', {
    status: 405,
    response: errorBody('METHOD_NOT_ALLOWED', 'DELETE is not allowed here; allowed: GET, HEAD, POST, OPTIONS.'),
    responseHeaders: { allow: 'GET, HEAD, POST, OPTIONS' },
  }),
  remove('ignores a query, as an unknown parameter', 'task/1003?sysparm_query=state=9', {
    status: 200,
    response: gone('Records successfully deleted.'),
    writes: true,
  }),
])

describeScenarios(
  'deleting what a table refers to that the caller may not read',
  [
    remove('does not name that table', 'service/501', {
      as: 'reader',
      status: 409,
      response: errorBody('CONFLICT', 'The record cannot be deleted: records of another table refer to it.', {
        reason: 'referenced',
      }),
    }),
  ],
  [
    sql`delete from docket.sys_security_acl where table_name = 'task' and condition is not null`,
    rule({ operation: 'delete', table: 'service', roles: ['user'] }),
  ],
)
