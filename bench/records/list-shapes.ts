/** A list that people and programs request. */
export interface ListShape {
  readonly name: string
  /** sysparm_query */
  readonly query: string
  /** The total is not requested. */
  readonly withoutTotal?: true
  /** Rows per page; default 20. */
  readonly limit?: number
}

export interface ShapeValues {
  readonly agentId: string
  readonly groupId: string
  readonly callerId: string
  readonly number: string
  /** `YYYY-MM-DD HH:MM:SS`: the last tenth of the tasks was changed after it. */
  readonly updatedAfter: string
}

/** Conditions on parts of texts; the seed has Latin and Cyrillic subjects that end in a running number. */
const contains: readonly ListShape[] = [
  { name: 'subject contains, few, Latin', query: 'subjectLIKEslowly 1234' },
  { name: 'subject contains, few, Cyrillic', query: 'subjectLIKEпринтер 1234' },
  { name: 'subject contains, none, Latin', query: 'subjectLIKEqwxz' },
  { name: 'subject contains, none, Cyrillic', query: 'subjectLIKEщъёж' },
  { name: 'subject contains, none, three letters', query: 'subjectLIKEъыъ' },
  { name: 'subject contains, an eighth, Cyrillic', query: 'subjectLIKEпечат' },
  { name: 'subject starts with, few', query: 'subjectSTARTSWITHНе печатает принтер 12' },
  { name: 'number contains, few', query: 'numberLIKE012345' },
  { name: 'display name of the caller contains, few', query: 'caller.display_nameLIKEпетрова 777' },
  { name: 'caller contains, none', query: 'callerLIKEщъёж' },
  { name: 'description contains, none (no index)', query: 'descriptionLIKEщъёж' },
]

const orders: readonly ListShape[] = [
  { name: 'newest first', query: 'ORDERBYDESCsys_created_at' },
  { name: 'order by number', query: 'ORDERBYDESCnumber' },
  { name: 'order by priority', query: 'ORDERBYpriority' },
  { name: 'order by subject', query: 'ORDERBYsubject' },
  { name: 'order by the name of the caller', query: 'ORDERBYcaller.display_name' },
]

const totals: readonly ListShape[] = [
  { name: 'active tasks with total', query: 'active=true' },
  { name: 'tasks in three states with total', query: 'stateIN1,2,3' },
  { name: 'all tasks with total', query: '' },
]

function desk({ agentId, groupId, callerId, number, updatedAfter }: ShapeValues): readonly ListShape[] {
  const newest = '^ORDERBYDESCsys_created_at'
  return [
    { name: 'by number', query: `number=${number}` },
    { name: 'my open tasks, newest first', query: `assigned_user=${agentId}^active=true${newest}` },
    { name: 'queue of a group in a state', query: `assignment_group=${groupId}^state=1${newest}` },
    { name: 'tasks of a caller', query: `caller=${callerId}${newest}` },
    { name: 'unassigned open tasks', query: `assigned_userISEMPTY^active=true${newest}` },
    { name: 'overdue open tasks', query: 'due_date<javascript:gs.nowDateTime()^active=true^ORDERBYdue_date' },
    { name: 'critical open tasks', query: `priority=1^active=true${newest}` },
    { name: 'created today', query: `sys_created_atONToday${newest}` },
    { name: 'full text', query: 'AREпринтер печатает' },
    {
      name: 'synchroniser, 1,000 rows',
      query: `sys_updated_at>=${updatedAfter}^ORDERBYsys_updated_at`,
      withoutTotal: true,
      limit: 1_000,
    },
  ]
}

export function listShapes(values: ShapeValues): readonly ListShape[] {
  return [...contains, ...orders, ...totals, ...desk(values)]
}
