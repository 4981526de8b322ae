import type { InBoth } from './language.ts'

export interface Job {
  readonly title: string
  readonly department: string
}

/** The department of directors. */
export const management: InBoth<string> = { en: 'Management', ru: 'Дирекция' }

export const staffJobs: InBoth<readonly string[]> = {
  en: ['Support Engineer', 'Senior Support Engineer', 'Systems Engineer', 'Support Analyst', 'Service Desk Agent'],
  ru: ['Инженер', 'Старший инженер', 'Специалист поддержки', 'Системный администратор', 'Ведущий инженер', 'Аналитик'],
}

export const callerJobs: InBoth<readonly Job[]> = {
  en: [
    { title: 'Accountant', department: 'Finance' },
    { title: 'Financial Controller', department: 'Finance' },
    { title: 'Sales Manager', department: 'Sales' },
    { title: 'Account Executive', department: 'Sales' },
    { title: 'Marketing Specialist', department: 'Marketing' },
    { title: 'Recruiter', department: 'People' },
    { title: 'HR Business Partner', department: 'People' },
    { title: 'Warehouse Supervisor', department: 'Logistics' },
    { title: 'Dispatcher', department: 'Logistics' },
    { title: 'Production Planner', department: 'Operations' },
    { title: 'Quality Engineer', department: 'Operations' },
    { title: 'Lawyer', department: 'Legal' },
    { title: 'Buyer', department: 'Procurement' },
    { title: 'Designer', department: 'Marketing' },
    { title: 'Office Manager', department: 'Administration' },
    { title: 'Data Analyst', department: 'Finance' },
  ],
  ru: [
    { title: 'Бухгалтер', department: 'Бухгалтерия' },
    { title: 'Главный бухгалтер', department: 'Бухгалтерия' },
    { title: 'Экономист', department: 'Финансовый отдел' },
    { title: 'Менеджер по продажам', department: 'Отдел продаж' },
    { title: 'Специалист по тендерам', department: 'Отдел продаж' },
    { title: 'Маркетолог', department: 'Маркетинг' },
    { title: 'Специалист по кадрам', department: 'Отдел кадров' },
    { title: 'Кладовщик', department: 'Склад' },
    { title: 'Начальник смены', department: 'Склад' },
    { title: 'Логист', department: 'Транспортный отдел' },
    { title: 'Инженер-технолог', department: 'Производство' },
    { title: 'Контролёр качества', department: 'Производство' },
    { title: 'Юрист', department: 'Юридический отдел' },
    { title: 'Специалист по закупкам', department: 'Закупки' },
    { title: 'Офис-менеджер', department: 'Административный отдел' },
    { title: 'Врач-методист', department: 'Медицинская часть' },
  ],
}
