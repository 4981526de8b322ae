import { sql } from '../../../src/kernel/sql.ts'
import { describeScenarios, errorBody, ok, type Scenario } from './scenarios.ts'

const create = (name: string, body: unknown, display: string): Scenario => ({
  name,
  as: 'worker',
  send: 'POST /rest/v1/table/task?sysparm_fields=display_name',
  body,
  status: 200,
  response: ok({ display_name: display }),
  writes: true,
})

describeScenarios('display_name is the number and the subject (issue 8, B13)', [
  create('with a subject', { subject: 'Printer' }, 'TSK0001001 Printer'),
  create('without one it ends with the number', { short_description: 'x' }, 'TSK0001002'),
  create('nor has it a blank behind it where the subject is an empty text', { subject: '' }, 'TSK0001003'),
])

const screenshot = (name: string, as: Scenario['as'], id: string, status: number, response: unknown): Scenario => ({
  name,
  as,
  send: 'PATCH /rest/v1/table/task/1001?sysparm_fields=screenshot',
  body: { screenshot: id },
  status,
  response,
  writes: status === 200,
})
const missing = errorBody(
  'INVALID_VALUE',
  'The value of screenshot is rejected: there is no such record in sys_attachment.',
  { field: 'screenshot' },
)

describeScenarios(
  'a file column names an attachment that exists and may be read (issue 8, B13)',
  [
    screenshot('one that does not exist is rejected', 'worker', '4242', 422, missing),
    screenshot('one of a record that may not be read is rejected alike', 'worker', '4002', 422, missing),
    screenshot('one of a readable record is taken', 'worker', '4001', 200, ok({ screenshot: '4001' })),
    {
      name: 'one that is gone may be sent back',
      as: 'worker',
      send: 'PUT /rest/v1/table/task/1002?sysparm_fields=screenshot,subject',
      body: { screenshot: '4343', subject: 'New' },
      status: 200,
      response: ok({ screenshot: '4343', subject: 'New' }),
      writes: true,
    },
  ],
  [
    sql`insert into docket.sys_attachment (sys_id, file_name, table_id, record_id, content_type, size_bytes, hash)
      select 4001, 'a.png', sys_id, '1001', 'image/png', 1, repeat('a', 64) from docket.sys_db_table where name = 'task'`,
    sql`insert into docket.sys_attachment (sys_id, file_name, table_id, record_id, content_type, size_bytes, hash)
      select 4002, 'b.png', sys_id, '1', 'image/png', 1, repeat('b', 64) from docket.sys_db_table where name = 'sys_role'`,
    sql`insert into docket.sys_security_acl (operation, table_name, active) values ('read', 'sys_attachment', true)`,
    sql`update docket.task set screenshot = 4343 where sys_id = 1002`,
  ],
)
