import { sql } from '../../../src/kernel/sql.ts'
import { rule } from './fixture.ts'
import { describeScenarios, ok, type Scenario } from './scenarios.ts'

const entry = (record: number, column: string, value: string) =>
  sql`insert into docket.sys_journal_entry (table_id, record_id, column_name, value, sys_created_by, sys_updated_by)
    select sys_db_table_id, sys_id::text, ${column}, ${value}, 201, 201 from docket.task where sys_id = ${record}::bigint`

const entries = [
  entry(1001, 'work_notes', 'Router replaced'),
  entry(1001, 'comments', 'Please wait'),
  entry(1002, 'work_notes', 'secret: the ROUTER is ours'),
  entry(1003, 'comments', 'A router, you say?'),
  sql`update docket.task set parent_id = 1001 where sys_id = 1006`,
  ...['task', 'sys_journal_entry'].map((table) => rule({ operation: 'read', table, roles: ['itil', 'user'] })),
  // Readers may not read work notes, and workers not those of task 1002.
  rule({ operation: 'read', table: 'task', column: 'work_notes', roles: ['itil'], condition: 'sys_id!=1002' }),
  rule({ operation: 'read', table: 'task', column: 'work_notes', roles: ['admin'] }),
  rule({ operation: 'read', table: 'sys_journal_entry', roles: ['user', 'itil'], condition: 'valueNOT LIKEsecret' }),
]

const find = (query: string, ids: string, as: Scenario['as'] = 'worker'): Scenario => ({
  name: `${as} asks ${query}`,
  as,
  send: `GET /rest/v1/table/task?sysparm_fields=sys_id&sysparm_query=${encodeURIComponent(query)}`,
  status: 200,
  response: ok(...ids.split(' ').flatMap((id) => (id === '' ? [] : [{ sys_id: `100${id}` }]))),
})

describeScenarios(
  'conditions on journal columns ask the entries that the caller may read (issue 8, B7)',
  [
    find('work_notesLIKErouter', '1 2', 'admin'),
    find('work_notesLIKErouter', '1'),
    find('commentsLIKErouter', '3'),
    find('commentsLIKErouter', '3', 'reader'),
    find('commentsISNOTEMPTY', '1 3'),
    find('commentsISEMPTY^sys_id<1005', '2 4'),
    find('work_notesISNOTEMPTY', '1 2', 'admin'),
    find('work_notesISNOTEMPTY', '1'),
    find('work_notesISEMPTY^sys_id<1004', '2 3'),
    find('parent_id.work_notesLIKErouter', '6'),
    find('work_notesLIKErouter^ORcommentsLIKErouter', '1 3'),
    find('commentsANYTHING^sys_id<1003', '1 2'),
  ],
  entries,
)
