/** How the columns of tasks could be stored beside each other (docs/decisions/0028). */
export interface Layout {
  /** Also the name of its database. */
  readonly name: string
  readonly title: string
  /** The columns that queues are found by are in a narrow table with their indexes; the task has none on them. */
  readonly queuesApart: boolean
  /** The searched texts are in a table of their own with their indexes, which only a changed text writes. */
  readonly textsApart: boolean
  /** The index of parts has number and subject once, as parts of the display name. */
  readonly partsOnce: boolean
}

const asItIs: Layout = {
  name: 'as_it_is',
  title: 'as it is',
  queuesApart: false,
  textsApart: false,
  partsOnce: false,
}

export const LAYOUTS: readonly Layout[] = [
  asItIs,
  { ...asItIs, name: 'queues_apart', title: 'columns of queues apart', queuesApart: true },
  { ...asItIs, name: 'texts_apart', title: 'texts apart', textsApart: true },
  { ...asItIs, name: 'parts_once', title: 'parts once', partsOnce: true },
  { name: 'all_three', title: 'all three', queuesApart: true, textsApart: true, partsOnce: true },
]

/** A table beside that of tasks, with copies of some columns, which triggers write. */
export interface TableApart {
  readonly name: string
  /** The first is the key. */
  readonly columns: readonly string[]
}

export const QUEUES: TableApart = {
  name: 'bench.task_queue',
  columns: [
    'sys_id',
    'sys_created_at',
    'state',
    'active',
    'priority',
    'due_date',
    'assigned_user',
    'assignment_group',
    'caller',
  ],
}

export const TEXTS: TableApart = {
  name: 'bench.task_text',
  columns: ['sys_id', 'number', 'subject', 'short_description', 'description', 'display_name'],
}

export const tablesOf = ({ queuesApart, textsApart }: Layout): readonly TableApart[] => [
  ...(textsApart ? [TEXTS] : []),
  ...(queuesApart ? [QUEUES] : []),
]
