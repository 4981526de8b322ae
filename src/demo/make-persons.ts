import { type DemoUser, demoUsers } from './demo-users.ts'
import type { Company, Ground, Person } from './model.ts'
import type { Random } from './random.ts'
import type { Job } from './words/jobs.ts'
import type { Language } from './words/language.ts'
import { englishFirstNames, englishSurnames, russianMen, russianSurnames, russianWomen } from './words/names.ts'
import { dayMs } from './working-time.ts'

/** A person, and the columns that tickets do not need. */
export interface Hired {
  readonly person: Person
  readonly job: Job
  readonly password: string | undefined
  readonly roles: readonly string[]
  readonly isEmployee: boolean
  readonly managerId: string | null
}

export function longAgo(ground: Ground, days: number): number {
  return Math.floor((ground.nowMs - days * dayMs) / 1_000) * 1_000
}

export interface Named {
  readonly firstName: string
  readonly lastName: string
  readonly isWoman: boolean
  readonly userName: string
}

/** Unused names; the demo users' own names count as used. */
export function nameSource(random: Random): (language: Language) => Named {
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
  // English texts have one form for all genders.
  return { firstName, lastName, isWoman: false, userName: `${firstName}.${lastName}`.toLowerCase().replace("'", '') }
}

export function personOf(random: Random, ground: Ground, named: Named & { readonly company: Company }): Person {
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

export function namedPerson(random: Random, ground: Ground, user: DemoUser, companies: readonly Company[]): Person {
  return {
    ...personOf(random, ground, { ...user, company: companyOf(companies, user.company) }),
    language: user.language,
  }
}

export function monitoringAccount(ground: Ground, company: Company): Hired {
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

export function companyOf(companies: readonly Company[], domain: string): Company {
  const company = companies.find(({ words }) => words.domain === domain)
  if (company === undefined) throw new Error(`no demo company has the domain ${domain}`)
  return company
}
