import type { CompanyCreate, ItsmIncidentAll } from './out/hey-api/index.ts'
import { itsmIncidentCreate, itsmIncidentList, itsmIncidentPatch } from './out/hey-api/index.ts'

export async function firstState(): Promise<string | null | undefined> {
  const { data } = await itsmIncidentList({ query: { sysparm_display_value: 'all', sysparm_limit: 1 } })
  const incidents = data?.data as readonly ItsmIncidentAll[] | undefined
  return incidents?.[0]?.state?.display_value
}

export const written = () => [
  itsmIncidentCreate({ body: { subject: 'Printer', state: '0', caller: { find: { user_name: 'admin' } } } }),
  itsmIncidentPatch({ path: { sys_id: '1' }, body: { subject: { append: '!' }, followers_list: { add: ['1'] } } }),
  // @ts-expect-error No state has this value.
  itsmIncidentCreate({ body: { state: 'open' } }),
  // @ts-expect-error A text cannot be incremented.
  itsmIncidentPatch({ path: { sys_id: '1' }, body: { subject: { increment: 1 } } }),
]

// @ts-expect-error A company needs a name.
export const nameless: CompanyCreate = { city: 'London' }
