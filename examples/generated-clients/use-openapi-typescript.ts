/** Run with the address of a demo desk and a key: reads, creates and changes records with types of the document. */
import createClient from 'openapi-fetch'
import type { paths } from './out/openapi-typescript.ts'

declare const process: { readonly argv: readonly string[] }
const [baseUrl = '', key = ''] = process.argv.slice(2)
const desk = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })

const listed = await desk.GET('/rest/v1/table/itsm_incident', {
  params: { query: { sysparm_limit: 1, sysparm_display_value: 'all' } },
})
for (const incident of listed.data?.data ?? []) {
  const { state } = incident
  console.log(typeof state === 'object' ? state?.display_value : state)
}

const created = await desk.POST('/rest/v1/table/itsm_incident', {
  body: { subject: 'Printer', state: '0', caller: { find: { user_name: 'admin' } } },
})
const at = { params: { path: { sys_id: String(created.data?.data[0]?.sys_id) } } }
const changed = await desk.PATCH('/rest/v1/table/itsm_incident/{sys_id}', {
  ...at,
  body: { subject: { append: ' on floor 7' }, followers_list: { add: [{ find: { user_name: 'admin' } }] } },
})
console.log(changed.data?.data[0]?.subject)

export const rejected = (): unknown => [
  // @ts-expect-error A company needs a name.
  desk.POST('/rest/v1/table/company', { body: { city: 'London' } }),
  // @ts-expect-error No state has this value.
  desk.POST('/rest/v1/table/itsm_incident', { body: { state: 'open' } }),
  // @ts-expect-error A text cannot be incremented.
  desk.PATCH('/rest/v1/table/itsm_incident/{sys_id}', { ...at, body: { subject: { increment: 1 } } }),
  // @ts-expect-error There is no such table.
  desk.GET('/rest/v1/table/itsm_incidents'),
]
