import { demoRules } from './access-rules.ts'
import { demoFilters, demoSchedules, demoViews, russianTitles } from './form-views.ts'
import type { Ground, Row, Staffing } from './model.ts'
import type { Rows } from './people-rows.ts'
import { dayMs, timestamp } from './working-time.ts'

/** Rules, views, filters, schedules and a webhook: the setup of an administrator before the first ticket. */
export function makePlatformRows(ground: Ground, staffing: Staffing): Rows {
  const setUpAtMs = Math.floor((ground.nowMs - 100 * dayMs) / 1_000) * 1_000
  const made = (table: string): Row & { readonly sys_id: string } => ({
    sys_id: ground.newSysId(setUpAtMs),
    sys_created_at: timestamp(setUpAtMs),
    sys_created_by: ground.administratorId,
    sys_updated_at: timestamp(setUpAtMs),
    sys_updated_by: ground.administratorId,
    sys_db_table_id: ground.classId(table),
  })
  const userId = (userName: string | null): string | null =>
    userName === null ? null : (staffing.people.find((person) => person.userName === userName)?.id ?? null)

  const forms = demoViews.map((view) => ({
    view,
    row: {
      ...made('sys_ui_form'),
      title: view.title,
      table_id: ground.classId(view.table),
      user_id: userId(view.owner),
      active: true,
    },
  }))
  const sections = forms.flatMap(({ view, row }) =>
    view.sections.map((section, position) => ({
      section,
      row: { ...made('sys_ui_form_section'), form_id: row.sys_id, title: section.title, order: (position + 1) * 100 },
    })),
  )
  const filters = demoFilters.map((filter) => ({
    ...made('sys_filter'),
    title: filter.title,
    table_id: ground.classId(filter.table),
    condition: filter.condition,
    user_id: userId(filter.owner),
    active: true,
  }))
  const translated = (table: string, rows: readonly { readonly sys_id: string; readonly title: string }[]) =>
    rows.flatMap((row) => {
      const value = russianTitles[row.title]
      const column = ground.columnId(table, 'title')
      return value === undefined
        ? []
        : [{ ...made('sys_translated_text'), column_id: column, record_id: row.sys_id, language: 'ru', value }]
    })
  return {
    sys_security_acl: rulesFor(ground).map((rule) => ({
      ...made('sys_security_acl'),
      operation: rule.operation,
      table_name: rule.table,
      column_name: rule.column,
      roles: [ground.roleId(rule.role)],
      condition: rule.condition === '' ? null : rule.condition,
      active: true,
      admin_overrides: true,
      description: rule.description,
    })),
    sys_ui_form: forms.map(({ row }) => row),
    sys_ui_form_section: sections.map(({ row }) => row),
    sys_ui_form_element: sections.flatMap(({ section, row }) =>
      section.columns.map((column, position) => ({
        ...made('sys_ui_form_element'),
        section_id: row.sys_id,
        column_name: column,
        order: (position + 1) * 100,
      })),
    ),
    sys_filter: filters,
    sys_translated_text: [
      ...translated('sys_filter', filters),
      ...translated(
        'sys_ui_form_section',
        sections.map(({ row }) => row),
      ),
    ],
    sys_schedule: demoSchedules.map((schedule) => ({
      ...made('sys_schedule'),
      name: schedule.name,
      description: schedule.description,
      time_zone: schedule.timeZone,
      days: schedule.days,
      start_time: schedule.hours[0],
      end_time: schedule.hours[1],
      active: true,
    })),
    // An example. It sends nothing until an administrator sets an address and activates it.
    sys_webhook: [
      {
        ...made('sys_webhook'),
        name: 'New incidents to the chat of the desk',
        url: 'https://chat.meridian.example/hooks/desk',
        active: false,
        run_as: ground.administratorId,
        tables: [ground.classId('itsm_incident')],
        operations: ['create'],
        description: 'Put in your own address, ask for a secret (docs/changes.md), then set active.',
      },
    ],
  }
}

/** Another table that is called department stays closed. */
const rulesFor = ({ hasDepartments }: Ground): typeof demoRules =>
  demoRules.filter(({ table, column }) => hasDepartments || (table !== 'department' && column !== 'department_id'))
