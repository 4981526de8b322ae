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

/** The same by hand, as in bare-statements.ts for own tables. */
export const adoptedStatements = {
  /** $2 id */
  adoptedRead: `select '{"status":"OK","data":[' || to_json(r)::text || ']}' from (select ${ticket} from helpdesk.ticket t where t.id = $2) as r`,
  adoptedList: many('true'),
  /** $2 status */
  adoptedFiltered: many('t.open and t.status = $2'),
} as const
