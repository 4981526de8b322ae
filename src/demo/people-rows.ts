import { type Hired, longAgo } from './make-persons.ts'
import type { Company, Ground, Group, Row, Staffing } from './model.ts'
import type { Random } from './random.ts'
import type { CompanyWords } from './words/companies.ts'
import type { services as serviceWords } from './words/services.ts'
import { type TeamKey, type TeamWords, teamFor } from './words/teams.ts'
import { dayMs, timestamp } from './working-time.ts'

export interface Rows {
  readonly [table: string]: readonly Row[]
}

export const departmentOfSupport = { en: 'IT Support', ru: 'Служба поддержки' }

export const headOfTeam = { en: 'Team Lead', ru: 'Руководитель группы' }

/** System columns of a record that the administrator created at the time in its sys_id, and that nobody changed since. */
export function madeByAdministrator(ground: Ground, id: string, table: string): Row {
  const at = timestamp(Number(id.slice(0, 10)) * 1_000)
  return {
    sys_id: id,
    sys_created_at: at,
    sys_created_by: ground.administratorId,
    sys_updated_at: at,
    sys_updated_by: ground.administratorId,
    sys_db_table_id: ground.classId(table),
  }
}

export function companyRow(random: Random, ground: Ground, { id, words }: Company): Row {
  return {
    ...madeByAdministrator(ground, id, 'company'),
    name: words.name,
    phone: deskPhone(random, words),
    email: `office@${words.domain}`,
    website: `https://www.${words.domain}/`,
    city: words.city,
    country: words.country,
    active: true,
  }
}

export function userRow(
  random: Random,
  ground: Ground,
  { person, job, password, isEmployee, managerId }: Hired,
  { position, passwordHashes }: { readonly position: number; readonly passwordHashes: ReadonlyMap<string, string> },
): Row {
  const isMachine = person.lastName === ''
  return {
    ...madeByAdministrator(ground, person.id, isEmployee ? 'employee' : 'user'),
    user_name: person.userName,
    password: password === undefined ? null : (passwordHashes.get(person.userName) ?? null),
    active: person.isActive,
    display_name: person.displayName,
    first_name: person.firstName,
    last_name: person.lastName || null,
    email: `${person.userName}@${person.company.words.domain}`,
    phone: isMachine ? null : deskPhone(random, person.company.words),
    mobile_phone: isMachine || random.chance(0.3) ? null : mobilePhone(random, person.company.words),
    language: person.language,
    time_zone: person.timeZone,
    company: person.company.id,
    manager: managerId,
    vip: person.isVip,
    employee_number: isEmployee ? `E${String(10_000 + position * 7)}` : null,
    job_title: isEmployee ? job.title : null,
    department: isEmployee ? job.department || null : null,
    hired_on: isEmployee
      ? timestamp(Number(person.id.slice(0, 10)) * 1_000 - random.between(0, 2_000) * dayMs).slice(0, 10)
      : null,
    // Monday to Friday; a few work from Tuesday to Saturday.
    work_days: isEmployee ? (random.chance(0.06) ? 62 : 31) : null,
  }
}

/**
 * Numbers that are never assigned: the ranges that the United Kingdom, Ireland, Sweden and North America reserve for fiction,
 * and for Russia the area code 000, which does not exist.
 */
const deskNumbers: Readonly<Record<string, string>> = {
  Россия: '+7 000 1##-##-##',
  'United Kingdom': '+44 20 7946 0###',
  Ireland: '+353 20 91# ####',
  Sweden: '+46 8 465 004 ##',
  'United States': '+1 212 555 01##',
}

const mobileNumbers: Readonly<Record<string, string>> = {
  ...deskNumbers,
  Россия: '+7 000 9##-##-##',
  'United Kingdom': '+44 7700 900###',
  Sweden: '+46 70 174 06 ##',
}

function deskPhone(random: Random, { country }: CompanyWords): string {
  return (deskNumbers[country] ?? '').replace(/#/g, () => String(random.between(0, 9)))
}

function mobilePhone(random: Random, { country }: CompanyWords): string {
  return (mobileNumbers[country] ?? '').replace(/#/g, () => String(random.between(0, 9)))
}

export function groupRow(ground: Ground, words: TeamWords, groups: ReadonlyMap<TeamKey, Group>): Row {
  const group = groups.get(words.key)
  return {
    ...madeByAdministrator(ground, group?.id ?? '', 'sys_group'),
    name: words.name,
    description: words.description,
    email: `${words.mailbox}@meridian.example`,
    manager: group?.members[0]?.id ?? null,
    parent_id: words.parent === undefined ? null : (groups.get(words.parent)?.id ?? null),
    active: true,
  }
}

export function serviceRow(
  random: Random,
  ground: Ground,
  words: (typeof serviceWords)[number],
  { groups, services }: Pick<Staffing, 'groups' | 'services'>,
): Row {
  const group = groups.get(teamFor(words.team, 'ru'))
  return {
    ...madeByAdministrator(ground, services.get(words.key) ?? '', 'service'),
    name: words.name,
    description: words.description,
    owner: group?.members[0]?.id ?? null,
    support_group: group?.id ?? null,
    criticality: words.criticality,
    availability: words.availability,
    maintenance_from: random.pick(['20:00:00', '21:30:00', '22:00:00', '23:00:00', '02:00:00']),
    active: true,
  }
}

export function membershipRows(ground: Ground, hired: readonly Hired[], groups: ReadonlyMap<TeamKey, Group>): Rows {
  const at = longAgo(ground, 100)
  const made = (table: string): Row => madeByAdministrator(ground, ground.newSysId(at), table)
  return {
    sys_user_group: [...groups.values()].flatMap((group) =>
      group.members.map((member) => ({ ...made('sys_user_group'), user_id: member.id, group_id: group.id })),
    ),
    // The staff get their roles from their groups, all others directly.
    sys_group_has_role: [...groups.values()].flatMap((group) =>
      ['itil', 'document_reader'].map((role) => ({
        ...made('sys_group_has_role'),
        group_id: group.id,
        role_id: ground.roleId(role),
      })),
    ),
    sys_user_has_role: hired.flatMap(({ person, roles }) =>
      roles.map((role) => ({ ...made('sys_user_has_role'), user_id: person.id, role_id: ground.roleId(role) })),
    ),
  }
}
