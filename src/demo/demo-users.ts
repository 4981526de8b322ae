import type { Language } from './words/language.ts'
import type { TeamKey } from './words/teams.ts'

/**
 * The people of the demo desk who can sign in. Their passwords are published on purpose, so none of them has the rights of an
 * administrator: that is `admin`, whose password is generated at the first start.
 */
export interface DemoUser {
  readonly userName: string
  readonly password: string
  readonly firstName: string
  readonly lastName: string
  readonly isWoman: boolean
  readonly language: Language
  /** Domain of the company in words/companies.ts. */
  readonly company: string
  readonly roles: readonly ('itil' | 'user' | 'document_reader' | 'document_writer')[]
  /** Empty for a caller. */
  readonly teams: readonly TeamKey[]
  readonly jobTitle: string
  readonly department: string
}

export const demoUsers = [
  {
    userName: 'anna.petrova',
    password: 'demo-anna-7291',
    firstName: 'Анна',
    lastName: 'Петрова',
    isWoman: true,
    language: 'ru',
    company: 'meridian.example',
    roles: ['itil', 'document_reader'],
    teams: ['first-line-ru', 'identity'],
    jobTitle: 'Старший специалист поддержки',
    department: 'Служба поддержки',
  },
  {
    userName: 'michael.brown',
    password: 'demo-michael-5106',
    firstName: 'Michael',
    lastName: 'Brown',
    isWoman: false,
    language: 'en',
    company: 'meridian-uk.example',
    roles: ['itil', 'document_reader'],
    teams: ['network', 'first-line-en'],
    jobTitle: 'Network Engineer',
    department: 'IT Support',
  },
  {
    userName: 'maria.sokolova',
    password: 'demo-maria-3847',
    firstName: 'Мария',
    lastName: 'Соколова',
    isWoman: true,
    language: 'ru',
    company: 'meridian.example',
    roles: ['itil', 'document_writer'],
    teams: ['first-line-ru'],
    jobTitle: 'Редактор базы знаний',
    department: 'Служба поддержки',
  },
  {
    userName: 'john.smith',
    password: 'demo-john-4820',
    firstName: 'John',
    lastName: 'Smith',
    isWoman: false,
    language: 'en',
    company: 'harrowfinch.example',
    roles: ['user', 'document_reader'],
    teams: [],
    jobTitle: 'Commissioning Editor',
    department: 'Editorial',
  },
  {
    userName: 'elena.volkova',
    password: 'demo-elena-6635',
    firstName: 'Елена',
    lastName: 'Волкова',
    isWoman: true,
    language: 'ru',
    company: 'ladoga-logistic.example',
    roles: ['user', 'document_reader'],
    teams: [],
    jobTitle: 'Менеджер по перевозкам',
    department: 'Транспортный отдел',
  },
] as const satisfies readonly DemoUser[]
