export interface DemoView {
  readonly table: string
  readonly title: string
  /** User name; null for a view for everybody. */
  readonly owner: string | null
  readonly sections: readonly { readonly title: string; readonly columns: readonly string[] }[]
}

const taskHead = ['number', 'subject', 'state', 'priority', 'caller', 'company', 'service']
const taskPeople = ['assignment_group', 'assigned_user', 'opened_by', 'contact', 'followers_list']
const taskTimes = ['opened_at', 'due_date', 'sla_due', 'closed_at', 'closed_by']
const taskTexts = ['short_description', 'description', 'comments', 'work_notes']

/** Form views of the demo desk; `sysparm_view` selects them by title. */
export const demoViews: readonly DemoView[] = [
  shared('task', 'Default view', { Task: taskHead, People: taskPeople, Times: taskTimes, Text: taskTexts }),
  shared('task', 'list', { List: ['number', 'subject', 'state', 'priority', 'assigned_user', 'opened_at'] }),
  shared('task', 'mobile', { Card: ['number', 'subject', 'state', 'caller.display_name', 'due_date'] }),
  shared('itsm_incident', 'Default view', {
    Incident: [...taskHead, 'category', 'subcategory', 'contact_type', 'urgency', 'impact', 'severity'],
    People: taskPeople,
    Times: taskTimes,
    Text: taskTexts,
    Closure: ['close_code', 'closure_notes', 'time_worked', 'reopen_count'],
  }),
  shared('itsm_incident', 'list', {
    List: ['number', 'subject', 'state', 'priority', 'caller', 'assignment_group', 'assigned_user', 'opened_at'],
  }),
  shared('itsm_incident', 'mobile', {
    Card: ['number', 'subject', 'state', 'priority', 'caller.display_name', 'caller.phone', 'service'],
  }),
  shared('itsm_request', 'Default view', {
    Request: [...taskHead, 'requested_for', 'quantity', 'price', 'approval_state'],
    People: taskPeople,
    Times: taskTimes,
    Text: taskTexts,
  }),
  shared('itsm_request', 'list', {
    List: ['number', 'subject', 'state', 'requested_for', 'approval_state', 'due_date'],
  }),
  shared('itsm_change_request', 'Default view', {
    Change: [...taskHead, 'type', 'risk', 'approval_state', 'percent_complete'],
    Plan: ['planned_start', 'planned_end', 'planned_cost', 'description', 'backout_plan'],
    People: taskPeople,
  }),
  shared('itsm_change_request', 'list', {
    List: ['number', 'subject', 'state', 'type', 'risk', 'planned_start', 'planned_end'],
  }),
  shared('itsm_problem', 'Default view', {
    Problem: [...taskHead, 'known_error', 'root_cause'],
    People: taskPeople,
    Times: taskTimes,
    Text: taskTexts,
  }),
  shared('itsm_problem', 'list', { List: ['number', 'subject', 'state', 'known_error', 'assigned_user', 'due_date'] }),
  shared('user', 'Default view', {
    Person: ['user_name', 'display_name', 'first_name', 'last_name', 'company', 'manager', 'vip', 'active'],
    Contact: ['email', 'phone', 'mobile_phone', 'language', 'time_zone'],
  }),
  shared('user', 'list', { List: ['display_name', 'user_name', 'email', 'company', 'active'] }),
  shared('user', 'mobile', { Card: ['display_name', 'phone', 'company.name'] }),
  shared('employee', 'Default view', {
    Employee: ['employee_number', 'display_name', 'job_title', 'department', 'manager', 'hired_on', 'work_days'],
    Contact: ['email', 'phone', 'mobile_phone'],
  }),
  shared('company', 'Default view', { Company: ['name', 'city', 'country', 'phone', 'email', 'website', 'active'] }),
  shared('service', 'Default view', {
    Service: [
      'name',
      'description',
      'criticality',
      'availability',
      'owner',
      'support_group',
      'maintenance_from',
      'active',
    ],
  }),
  {
    ...shared('itsm_incident', 'Моя смена', {
      Смена: ['number', 'subject', 'state', 'caller', 'caller.company', 'sla_due', 'attention_required'],
    }),
    owner: 'anna.petrova',
  },
]

function shared(table: string, title: string, sections: Readonly<Record<string, readonly string[]>>): DemoView {
  return {
    table,
    title,
    owner: null,
    sections: Object.entries(sections).map(([name, columns]) => ({ title: name, columns })),
  }
}

/** Of sections and shared filters. The personal ones of Anna are in her language only. */
export const russianTitles: Readonly<Record<string, string>> = {
  Task: 'Задача',
  Incident: 'Инцидент',
  Request: 'Запрос',
  Change: 'Изменение',
  Problem: 'Проблема',
  People: 'Люди',
  Times: 'Сроки',
  Text: 'Описание',
  Closure: 'Завершение',
  Plan: 'План',
  Person: 'Сведения',
  Contact: 'Контакты',
  Employee: 'Сотрудник',
  Company: 'Компания',
  Service: 'Услуга',
  List: 'Список',
  Card: 'Карточка',
  'Open incidents': 'Открытые инциденты',
  'Critical and high': 'Критические и высокие',
  'Opened today': 'Открыты сегодня',
  'Assigned to me': 'Назначено мне',
  'Waiting in my groups': 'Ждут в моих группах',
  Overdue: 'Просрочено',
  'Changes of this week': 'Изменения этой недели',
}

export interface DemoFilter {
  readonly table: string
  readonly title: string
  readonly condition: string
  readonly owner: string | null
}

export const demoFilters: readonly DemoFilter[] = [
  { table: 'itsm_incident', title: 'Open incidents', condition: 'active=true', owner: null },
  {
    table: 'itsm_incident',
    title: 'Critical and high',
    condition: 'active=true^priorityIN1,2',
    owner: null,
  },
  { table: 'itsm_incident', title: 'Opened today', condition: 'opened_atONToday', owner: null },
  { table: 'task', title: 'Assigned to me', condition: 'active=true^assigned_userDYNAMICme', owner: null },
  {
    table: 'task',
    title: 'Waiting in my groups',
    condition: 'active=true^assignment_groupDYNAMICmygroups^assigned_userISEMPTY',
    owner: null,
  },
  { table: 'task', title: 'Overdue', condition: 'attention_required=true', owner: null },
  { table: 'itsm_change_request', title: 'Changes of this week', condition: 'planned_startONThis week', owner: null },
  {
    table: 'itsm_incident',
    title: 'VPN за неделю',
    condition: 'service.nameLIKEvpn^opened_atRELATIVEGT@day@ago@7',
    owner: 'anna.petrova',
  },
  {
    table: 'itsm_incident',
    title: 'My team, unassigned',
    condition: 'active=true^assignment_groupDYNAMICmygroups^assigned_userISEMPTY',
    owner: 'michael.brown',
  },
]

export interface DemoSchedule {
  readonly name: string
  readonly description: string
  readonly timeZone: string
  /** Bits: Monday 1, Tuesday 2, … Sunday 64. */
  readonly days: number
  readonly hours: readonly [from: string, to: string]
}

export const demoSchedules: readonly DemoSchedule[] = [
  {
    name: 'Пн–Пт 9–18, Москва',
    description: 'Рабочее время первой линии на русском языке.',
    timeZone: 'Europe/Moscow',
    days: 31,
    hours: ['09:00:00', '18:00:00'],
  },
  {
    name: 'Mon–Fri 9–18, London',
    description: 'Hours of the English-speaking first line.',
    timeZone: 'Europe/London',
    days: 31,
    hours: ['09:00:00', '18:00:00'],
  },
  {
    name: 'Around the clock',
    description: 'Critical tickets and monitoring.',
    timeZone: 'UTC',
    days: 127,
    hours: ['00:00:00', '23:59:59'],
  },
  {
    name: 'Склад, 6–22 без воскресенья',
    description: 'Терминалы и WMS.',
    timeZone: 'Europe/Moscow',
    days: 63,
    hours: ['06:00:00', '22:00:00'],
  },
]
