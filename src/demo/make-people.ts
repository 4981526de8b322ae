import { type DemoUser, demoUsers } from './demo-users.ts'
import { departmentOf, departmentRows, makeDepartments } from './make-departments.ts'
import {
  companyOf,
  type Hired,
  longAgo,
  monitoringAccount,
  type Named,
  namedPerson,
  nameSource,
  personOf,
} from './make-persons.ts'
import type { Company, Ground, Group, Person, Staffing } from './model.ts'
import {
  companyRow,
  departmentOfSupport,
  groupRow,
  headOfTeam,
  membershipRows,
  type Rows,
  serviceRow,
  userRow,
} from './people-rows.ts'
import type { Random } from './random.ts'
import { companies as companyWords } from './words/companies.ts'
import { callerJobs, management, staffJobs } from './words/jobs.ts'
import type { Language } from './words/language.ts'
import { services as serviceWords } from './words/services.ts'
import { type TeamKey, type TeamWords, teams } from './words/teams.ts'

const userCount = 200

/** The number of Russian names; the rest are English. */
const russianCount = 102

const inactiveCallers = 6

/**
 * Creates companies, users, groups with members, services, and roles of users.
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
    const job = { title: user.jobTitle, department: user.department }
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
  const departments = makeDepartments(ground, hired)
  const ofPerson = (one: Hired) => (departments.size === 0 ? {} : { department_id: departmentOf(departments, one) })
  return {
    staffing: { people, callers, groups, managers, services, monitoring: monitoring.person },
    rows: {
      company: companies.map((company) => companyRow(random, ground, company)),
      department: departmentRows(ground, departments, hired),
      user: hired.map((one, position) => ({
        ...userRow(random, ground, one, { position, passwordHashes }),
        ...ofPerson(one),
      })),
      sys_group: teams.map((words) => groupRow(ground, words, groups)),
      service: serviceWords.map((words) => serviceRow(random, ground, words, { groups, services })),
      ...membershipRows(ground, hired, groups),
    },
  }
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

function join(groups: Map<TeamKey, Group>, team: TeamKey, person: Person): void {
  const group = groups.get(team)
  if (group === undefined) throw new Error(`the demo desk has no team ${team}`)
  groups.set(team, { ...group, members: [...group.members, person] })
}

/** Some members of the first line also work in a second group, for example to replace sick colleagues. */
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
      // A few have left; never a head, who is a manager of others.
      isActive: isHead || position % Math.floor((userCount - before.length) / inactiveCallers) !== 7,
    }
    const managerId = heads.get(company) ?? null
    if (isHead) heads.set(company, person.id)
    const job = isHead
      ? {
          title: language === 'ru' ? 'Директор' : 'Managing Director',
          department: management[language],
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
