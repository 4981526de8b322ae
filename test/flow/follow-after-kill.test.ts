import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { sendTo } from '../harness/send-request.ts'
import { spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('of two servers that lead a followed collection one is killed in the middle, and every record has its document all the same', async () => {
  const settings = { DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DEMO: 'off' }
  const first = await spawnDocket({ ...settings, DOCKET_DATA_DIR: temporaryFolder() })
  const second = await spawnDocket({ ...settings, DOCKET_DATA_DIR: temporaryFolder() })
  const client = sendTo(second.address)
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await client.send(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    if (response.status !== 200) throw new Error(response.text)
    return response.body as { data: { sys_id: string; doc_id: string; text: string }[] }
  }
  await send('PUT', '/collections/companies/follow', {
    table: 'company',
    query: 'city!=Gone',
    template: '{name} {city}',
  })
  const ids = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const made = await send('POST', '/rest/v1/table/company', { name: `company ${n}`, city: 'Perm' })
      return made.data[0]?.sys_id ?? ''
    }),
  )
  const changes = ids.map(async (id, n) => {
    await send('PATCH', `/rest/v1/table/company/${id}`, { city: 'Ufa' })
    if (n === 7) {
      first.signal('SIGKILL')
      await first.exit
    }
    if (n % 3 === 0) await send('DELETE', `/rest/v1/table/company/${id}`)
    else await send('PATCH', `/rest/v1/table/company/${id}`, { city: n % 3 === 1 ? 'Gone' : 'Omsk' })
  })
  await Promise.all(changes)
  const wanted = Object.fromEntries(ids.flatMap((id, n) => (n % 3 === 2 ? [[id, `company ${n} Omsk`]] : [])))
  const texts = async () => {
    const { data } = await send('POST', '/get_content_by_tag?collection_name=companies', { tag_info: '' })
    return Object.fromEntries(data.map(({ doc_id, text }) => [doc_id, text]))
  }
  await expect.poll(texts, { timeout: 90_000, interval: 100 }).toEqual(wanted)
  client.close()
  await second.stop()
}, 120_000)
