import { type Hired, longAgo } from './make-persons.ts'
import type { Ground, Row } from './model.ts'
import { madeByAdministrator } from './people-rows.ts'
import { management } from './words/jobs.ts'
import type { Language } from './words/language.ts'

/** Sys_ids by language and name. */
export type Departments = ReadonlyMap<string, string>

/** A department for each name that people of a language work in; none if the database cannot hold them. */
export function makeDepartments(ground: Ground, hired: readonly Hired[]): Departments {
  if (!ground.hasDepartments) return new Map()
  const working = hired.filter(({ job }) => job.department !== '')
  const keys = [managementOf('en'), managementOf('ru'), ...working.map(keyOfPerson)]
  return new Map([...new Set(keys)].map((key) => [key, ground.newSysId(longAgo(ground, 1_050))]))
}

/** The department in which a person works; null: none. */
export const departmentOf = (departments: Departments, one: Hired): string | null =>
  departments.get(keyOfPerson(one)) ?? null

/** Departments below the management of their language. The head of one is the first person who works there. */
export function departmentRows(ground: Ground, departments: Departments, hired: readonly Hired[]): readonly Row[] {
  return [...departments].map(([key, id]) => {
    const [language, name] = JSON.parse(key) as [Language, string]
    const head = hired.find((one) => one.person.isActive && keyOfPerson(one) === key)
    return {
      ...madeByAdministrator(ground, id, 'department'),
      name,
      head_id: head?.person.id ?? null,
      parent_id: key === managementOf(language) ? null : (departments.get(managementOf(language)) ?? null),
    }
  })
}

const keyOf = (language: Language, name: string): string => JSON.stringify([language, name])
const keyOfPerson = ({ person, job }: Hired): string => keyOf(person.language, job.department)
const managementOf = (language: Language): string => keyOf(language, management[language])
