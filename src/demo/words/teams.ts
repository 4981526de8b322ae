import type { Language } from './language.ts'

/** The purpose of a group; first line and workplaces have one group per language. */
export type TeamKey =
  | 'first-line-en'
  | 'first-line-ru'
  | 'workplace-en'
  | 'workplace-ru'
  | 'network'
  | 'mail'
  | 'identity'
  | 'telephony'
  | 'erp'
  | 'applications'
  | 'servers'
  | 'security'

export interface TeamWords {
  readonly key: TeamKey
  readonly name: string
  readonly description: string
  readonly mailbox: string
  /** Number of members by the language that they write. */
  readonly members: { readonly en: number; readonly ru: number }
  readonly parent?: TeamKey
}

export const teams: readonly TeamWords[] = [
  {
    key: 'first-line-en',
    name: 'Service Desk',
    description:
      'First line for everybody who writes in English: registers, solves what a call can solve, hands on the rest.',
    mailbox: 'servicedesk',
    members: { en: 7, ru: 0 },
  },
  {
    key: 'first-line-ru',
    name: 'Первая линия поддержки',
    description: 'Принимает обращения на русском языке, решает типовые вопросы, остальное передаёт профильным группам.',
    mailbox: 'support',
    members: { en: 0, ru: 8 },
  },
  {
    key: 'workplace-en',
    name: 'Workplace Support',
    description: 'Laptops, docks, monitors, printers and meeting rooms of the English-speaking offices.',
    mailbox: 'workplace',
    members: { en: 5, ru: 0 },
    parent: 'first-line-en',
  },
  {
    key: 'workplace-ru',
    name: 'Рабочие места и печать',
    description: 'Компьютеры, периферия, принтеры и переговорные: выезд, ремонт, замена.',
    mailbox: 'rabochie-mesta',
    members: { en: 0, ru: 6 },
    parent: 'first-line-ru',
  },
  {
    key: 'network',
    name: 'Network Operations',
    description: 'Local networks, Wi-Fi, VPN, internet access and links between offices.',
    mailbox: 'noc',
    members: { en: 3, ru: 3 },
  },
  {
    key: 'mail',
    name: 'Mail and Collaboration',
    description: 'Mail, calendars, shared mailboxes, video meetings and file sharing.',
    mailbox: 'collaboration',
    members: { en: 2, ru: 2 },
  },
  {
    key: 'identity',
    name: 'Учётные записи и доступ',
    description: 'Создание и блокировка учётных записей, пароли, второй фактор, роли и права в системах.',
    mailbox: 'access',
    members: { en: 2, ru: 3 },
  },
  {
    key: 'telephony',
    name: 'Корпоративная телефония',
    description: 'Настольные телефоны, программные телефоны, номера, очереди вызовов и запись разговоров.',
    mailbox: 'telephony',
    members: { en: 2, ru: 2 },
  },
  {
    key: 'erp',
    name: 'ERP и финансовые системы',
    description: 'Учётная система, расчёт зарплаты, электронный документооборот с контрагентами, отчётность.',
    mailbox: 'erp',
    members: { en: 2, ru: 4 },
  },
  {
    key: 'applications',
    name: 'Business Applications',
    description: 'CRM, warehouse, document archive, intranet and the other applications that departments work in.',
    mailbox: 'applications',
    members: { en: 3, ru: 3 },
  },
  {
    key: 'servers',
    name: 'Servers and Storage',
    description: 'Virtual machines, databases, file servers, backup and monitoring. On call around the clock.',
    mailbox: 'infrastructure',
    members: { en: 3, ru: 3 },
  },
  {
    key: 'security',
    name: 'Информационная безопасность',
    description: 'Антивирус, фишинг, утечки, исключения из политик, разбор инцидентов безопасности.',
    mailbox: 'security',
    members: { en: 2, ru: 2 },
  },
]

/** A team in topics: 'first-line' and 'workplace' mean the group of the caller's language. */
export type Team = Exclude<TeamKey, `first-line-${Language}` | `workplace-${Language}`> | 'first-line' | 'workplace'

export function teamFor(team: Team, language: Language): TeamKey {
  return team === 'first-line' || team === 'workplace' ? `${team}-${language}` : team
}
