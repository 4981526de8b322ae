/** `$1`: the beginning of links. */
const reference = (column: string, table: string): string =>
  `case when t.${column} is not null then json_build_object('value', t.${column}::text, 'link', $1 || '${table}/' || t.${column}) end as ${column}`

const referenceCell = (column: string, table: string, display: string): string =>
  `case when t.${column} is not null then json_build_object('display_value', ${display}, 'value', t.${column}::text, 'link', $1 || '${table}/' || t.${column}) end as ${column}`

const ticket = [
  't.id::text as sys_id, t.title, t.body, t.kind, t.status, t.open, t.created_at::text, t.updated_at::text',
  ...['customer_id', 'agent_id'].map((name) => reference(name, 'person')),
  reference('team_id', 'team'),
].join(', ')

const line = [
  't.id::text as sys_id, t.title, t.status::text, t.created_at::text',
  referenceCell('customer_id', 'person', 'c.name'),
  referenceCell('agent_id', 'person', 'a.name'),
  referenceCell('team_id', 'team', 'g.name'),
].join(', ')

const many = (
  where: string,
): string => `select '{"status":"OK","data":' || coalesce(json_agg(r)::text, '[]') || '}' from (
  select ${line} from helpdesk.ticket t join helpdesk.person c on c.id = t.customer_id
  left join helpdesk.person a on a.id = t.agent_id left join helpdesk.team g on g.id = t.team_id
  where ${where} order by t.created_at desc, t.id desc limit 20) as r`

const one = (rows: string): string =>
  `select '{"status":"OK","data":[' || to_json(r)::text || ']}' from (select ${ticket} from ${rows} t) as r`

/** Both servers keep a change log, as for own tables. */
const logCreate = `l as (insert into docket_system.change (operation, table_id, record_id, changed_by, changes)
  select 'c', $3::bigint, t.id::text, $2::bigint, jsonb_build_object('title', t.title, 'body', t.body, 'kind', t.kind, 'status', t.status,
    'open', t.open, 'created_at', t.created_at, 'updated_at', t.updated_at, 'customer_id', t.customer_id::text, 'agent_id', t.agent_id::text,
    'team_id', t.team_id::text) from t)`
const logPatch = `l as (insert into docket_system.change (operation, table_id, record_id, changed_by, changes)
  select 'u', $3::bigint, t.id::text, $2::bigint, jsonb_build_object('status', jsonb_build_array(o.status, t.status),
    'title', jsonb_build_array(o.title, t.title)) from t, o)`

/** The same by hand, as in bare-statements.ts for own tables. */
export const adoptedStatements = {
  /** $2 id */
  adoptedRead: `select '{"status":"OK","data":[' || to_json(r)::text || ']}' from (select ${ticket} from helpdesk.ticket t where t.id = $2) as r`,
  adoptedList: many('true'),
  /** $2 status */
  adoptedFiltered: many('t.open and t.status = $2'),
  /** $2 caller of the API, $3 sys_id of the table, $4 to $13 the columns */
  adoptedCreate: `with t as (
    insert into helpdesk.ticket (title, body, kind, status, open, created_at, updated_at, customer_id, agent_id, team_id)
    values ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning *), ${logCreate} ${one('t')}`,
  /** $2 caller of the API, $3 sys_id of the table, $4 id, $5 status, $6 title */
  adoptedPatch: `with o as (select * from helpdesk.ticket where id = $4 for update), t as (
    update helpdesk.ticket t set status = $5, title = $6 from o where t.id = o.id returning t.*), ${logPatch} ${one('t')}`,
} as const
