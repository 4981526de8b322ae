import { type DemoUser, demoUsers } from './demo-users.ts'
import type { Company, Ground, Group, Person, Row, Staffing } from './model.ts'
import type { Random } from './random.ts'
import { type CompanyWords, companies as companyWords } from './words/companies.ts'
import { callerJobs, type Job, staffJobs } from './words/jobs.ts'
import type { Language } from './words/language.ts'
import { englishFirstNames, englishSurnames, russianMen, russianSurnames, russianWomen } from './words/names.ts'
import { services as serviceWords } from './words/services.ts'
import { type TeamKey, type TeamWords, teamFor, teams } from './words/teams.ts'
import { dayMs, timestamp } from './working-time.ts'

export interface Rows {
  readonly [table: string]: readonly Row[]
}

const userCount = 200
/** How many of them have Russian names; the rest is English. */
const russianCount = 102
const inactiveCallers = 6

/** A person, and what the tables say of them that tickets do not need. */
interface Hired {
  readonly person: Person
  readonly job: Job
  readonly password: string | undefined
  readonly roles: readonly string[]
  readonly isEmployee: boolean
  readonly managerId: string | null
}

/**
 * Companies, users, groups with members, services, and who has which role.
 *
 * @param passwordHashes of the demo users, by user name; nobody else can sign in
 */
export function makePeople(
  random: Random,
  ground: Ground,
  passwordHashes: ReadonlyMap<string, string>,
): { readonly staffing: Staffing; readonly rows: Rows } {
  const companies = companyWords.map((words) => ({ id: ground.newSysId(longAgo(ground, 1_100)), words }))
  const names = nameSource(random)
  const monitoring = monitoringAccount(ground, companyOf(companies, 'meridian.example'))

  const groups = new Map<TeamKey, Group>()
  const hired: Hired[] = [monitoring]
  for (const words of teams) {
    const members = staffTeam(random, ground, words, companies, names)
    groups.set(words.key, {
      id: ground.newSysId(longAgo(ground, 1_000)),
      key: words.key,
      members: members.map(({ person }) => person),
    })
    hired.push(...members)
  }
  const named: readonly DemoUser[] = demoUsers
  for (const user of named) {
    const person = namedPerson(random, ground, user, companies)
    const job = { title: user.jobTitle, department: user.teams.length > 0 ? departmentOfSupport[user.language] : '' }
    const manager = user.teams[0] === undefined ? null : (groups.get(user.teams[0])?.members[0]?.id ?? null)
    hired.push({ person, job, password: user.password, roles: user.roles, isEmployee: true, managerId: manager })
    for (const team of user.teams) join(groups, team, person)
  }
  hired.push(...hireCallers(random, ground, hired, companies, names))
  lendMembers(random, groups)

  const people = hired.map(({ person }) => person)
  const staff = new Set([...groups.values()].flatMap(({ members }) => members))
  const callers = people.filter((person) => person.isActive && person !== monitoring.person && !staff.has(person))
  const byId = new Map(people.map((person) => [person.id, person]))
  const managers = new Map(
    hired.flatMap(({ person, managerId }) => {
      const manager = managerId === null ? undefined : byId.get(managerId)
      return manager === undefined ? [] : [[person.id, manager] as const]
    }),
  )
  const services = new Map(serviceWords.map((service) => [service.key, ground.newSysId(longAgo(ground, 900))]))
  return {
    staffing: { people, callers, groups, managers, services, monitoring: monitoring.person },
    rows: {
      company: companies.map((company) => companyRow(random, ground, company)),
      user: hired.map((one, position) => userRow(random, ground, one, { position, passwordHashes })),
      sys_group: teams.map((words) => groupRow(ground, words, groups)),
      service: serviceWords.map((words) => serviceRow(random, ground, words, { groups, services })),
      ...membershipRows(ground, hired, groups),
    },
  }
}

const departmentOfSupport = { en: 'IT Support', ru: 'Служба поддержки' }

function longAgo(ground: Ground, days: number): number {
  return Math.floor((ground.nowMs - days * dayMs) / 1_000) * 1_000
}

// ── persons ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Named {
  readonly firstName: string
  readonly lastName: string
  readonly isWoman: boolean
  readonly userName: string
}

/** Names that nobody has yet; the demo users' own are taken from the start. */
function nameSource(random: Random): (language: Language) => Named {
  const taken = new Set<string>(demoUsers.map(({ userName }) => userName))
  return (language) => {
    for (;;) {
      const named = language === 'ru' ? russianName(random) : englishName(random)
      if (taken.has(named.userName)) continue
      taken.add(named.userName)
      return named
    }
  }
}

function russianName(random: Random): Named {
  const isWoman = random.chance(0.5)
  const [firstName, latinFirst] = random.pick(isWoman ? russianWomen : russianMen)
  const [[surname, latinSurname], [ending, latinEnding]] = random.pick(russianSurnames)
  const lastName = isWoman ? surname + ending : surname
  return {
    firstName,
    lastName,
    isWoman,
    userName: `${latinFirst}.${isWoman ? latinSurname + latinEnding : latinSurname}`,
  }
}

function englishName(random: Random): Named {
  const firstName = random.pick(englishFirstNames)
  const lastName = random.pick(englishSurnames)
  // English texts have one form for everybody.
  return { firstName, lastName, isWoman: false, userName: `${firstName}.${lastName}`.toLowerCase().replace("'", '') }
}

function personOf(random: Random, ground: Ground, named: Named & { readonly company: Company }): Person {
  const { company, firstName, lastName, isWoman, userName } = named
  return {
    id: ground.newSysId(longAgo(ground, random.between(120, 1_090))),
    userName,
    firstName,
    lastName,
    displayName: `${firstName} ${lastName}`,
    isWoman,
    language: company.words.language,
    timeZone: company.words.timeZone,
    company,
    isActive: true,
    isVip: false,
  }
}

function namedPerson(random: Random, ground: Ground, user: DemoUser, companies: readonly Company[]): Person {
  return {
    ...personOf(random, ground, { ...user, company: companyOf(companies, user.company) }),
    language: user.language,
  }
}

function monitoringAccount(ground: Ground, company: Company): Hired {
  const person: Person = {
    id: ground.newSysId(longAgo(ground, 1_095)),
    userName: 'monitoring',
    firstName: 'Monitoring',
    lastName: '',
    displayName: 'Monitoring',
    isWoman: false,
    language: 'en',
    timeZone: 'UTC',
    company,
    isActive: true,
    isVip: false,
  }
  return {
    person,
    job: { title: '', department: '' },
    password: undefined,
    roles: ['itil'],
    isEmployee: false,
    managerId: null,
  }
}

function companyOf(companies: readonly Company[], domain: string): Company {
  const company = companies.find(({ words }) => words.domain === domain)
  if (company === undefined) throw new Error(`no demo company has the domain ${domain}`)
  return company
}

function staffTeam(
  random: Random,
  ground: Ground,
  words: TeamWords,
  companies: readonly Company[],
  names: (language: Language) => Named,
): readonly Hired[] {
  const homes = { ru: companyOf(companies, 'meridian.example'), en: companyOf(companies, 'meridian-uk.example') }
  const first = words.members.ru > words.members.en ? ('ru' as const) : ('en' as const)
  const languages = (first === 'ru' ? (['ru', 'en'] as const) : (['en', 'ru'] as const)).flatMap((language) =>
    Array.from({ length: words.members[language] }, () => language),
  )
  const people = languages.map((language) => personOf(random, ground, { ...names(language), company: homes[language] }))
  return people.map((person, position) => ({
    person,
    job:
      position === 0
        ? { title: headOfTeam[person.language], department: departmentOfSupport[person.language] }
        : { title: random.pick(staffJobs[person.language]), department: departmentOfSupport[person.language] },
    password: undefined,
    roles: [],
    isEmployee: true,
    managerId: position === 0 ? null : (people[0]?.id ?? null),
  }))
}

const headOfTeam = { en: 'Team Lead', ru: 'Руководитель группы' }

function join(groups: Map<TeamKey, Group>, team: TeamKey, person: Person): void {
  const group = groups.get(team)
  if (group === undefined) throw new Error(`the demo desk has no team ${team}`)
  groups.set(team, { ...group, members: [...group.members, person] })
}

/** Some of the first line also work in a second group, as they do when somebody is ill. */
function lendMembers(random: Random, groups: Map<TeamKey, Group>): void {
  for (const [from, to] of [
    ['first-line-ru', 'workplace-ru'],
    ['first-line-en', 'workplace-en'],
    ['servers', 'network'],
    ['identity', 'security'],
  ] as const) {
    const lent = random.pick(groups.get(from)?.members ?? [])
    if (!groups.get(to)?.members.includes(lent)) join(groups, to, lent)
  }
}

function hireCallers(
  random: Random,
  ground: Ground,
  before: readonly Hired[],
  companies: readonly Company[],
  names: (language: Language) => Named,
): readonly Hired[] {
  const russianLeft = russianCount - before.filter(({ person }) => person.language === 'ru').length
  const heads = new Map<Company, string>()
  return Array.from({ length: userCount - before.length }, (_, position): Hired => {
    const language = position < russianLeft ? 'ru' : 'en'
    const company = random.pickWeighted(
      companies.filter(({ words }) => words.language === language).map((one) => [one, one.words.weight] as const),
    )
    const isHead = !heads.has(company)
    const person = {
      ...personOf(random, ground, { ...names(language), company }),
      isVip: isHead && random.chance(0.5),
      // A few have left; never a head, who is somebody's manager.
      isActive: isHead || position % Math.floor((userCount - before.length) / inactiveCallers) !== 7,
    }
    const managerId = heads.get(company) ?? null
    if (isHead) heads.set(company, person.id)
    const job = isHead
      ? {
          title: language === 'ru' ? 'Директор' : 'Managing Director',
          department: language === 'ru' ? 'Дирекция' : 'Management',
        }
      : random.pick(callerJobs[language])
    return {
      person,
      job,
      password: undefined,
      roles: ['user', 'document_reader'],
      isEmployee: company.words.domain.startsWith('meridian') || random.chance(0.6),
      managerId,
    }
  })
}

// ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** System columns of a record that the administrator made at the time its sys_id tells, and nobody changed since. */
function madeByAdministrator(ground: Ground, id: string, table: string): Row {
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

function companyRow(random: Random, ground: Ground, { id, words }: Company): Row {
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

function userRow(
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
 * Numbers that cannot be somebody's: the ranges that the United Kingdom, Ireland, Sweden and North America keep free for
 * fiction, and for Russia the area code 000, which does not exist.
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

function groupRow(ground: Ground, words: TeamWords, groups: ReadonlyMap<TeamKey, Group>): Row {
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

function serviceRow(
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

function membershipRows(ground: Ground, hired: readonly Hired[], groups: ReadonlyMap<TeamKey, Group>): Rows {
  const at = longAgo(ground, 100)
  const made = (table: string): Row => madeByAdministrator(ground, ground.newSysId(at), table)
  return {
    sys_user_group: [...groups.values()].flatMap((group) =>
      group.members.map((member) => ({ ...made('sys_user_group'), user_id: member.id, group_id: group.id })),
    ),
    // The staff have their roles from their groups, all others one by one.
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
