import { itsmIncidentCreate, itsmIncidentList, itsmIncidentPatch } from './out/orval/client'
import type { CompanyCreate } from './out/orval/model'

export async function firstNumber(): Promise<unknown> {
  const { status, data } = await itsmIncidentList({ sysparm_limit: 1 })
  return status === 200 ? data.data[0]?.number : data.errors[0]?.code
}

export const written = () => [
  itsmIncidentCreate({ subject: 'Printer', state: '0', caller: { find: { user_name: 'admin' } } }),
  itsmIncidentPatch('1', { subject: { append: '!' }, followers_list: { add: ['1'] } }),
  // @ts-expect-error No state has this value.
  itsmIncidentCreate({ state: 'open' }),
  // @ts-expect-error A text cannot be incremented.
  itsmIncidentPatch('1', { subject: { increment: 1 } }),
]

// @ts-expect-error A company needs a name.
export const nameless: CompanyCreate = { city: 'London' }
