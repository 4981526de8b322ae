import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/simpleone.md', import.meta.url)), 'utf8')
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

test('the commands of docs/simpleone.md say what the page says (issue 10)', async () => {
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-e', '-c', blocks.join("\nprintf '\\n'\n").replaceAll('"\ncurl', '"\nprintf "\\n"\ncurl')],
    {
      env: { PATH: process.env['PATH'] ?? '', BASE: docket.baseUrl, PASSWORD: admin.password },
    },
  )
  const responses = stdout
    .split(/(?<=\})\s*(?=\{"status")/)
    .map((text) => JSON.parse(text) as { status: string; data: unknown })
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'OK'))
  expect(responses.slice(1).map(({ data }) => data)).toEqual([
    [{ name: 'task', title: 'Tasks' }],
    expect.arrayContaining([{ column_name: 'state' }, { column_name: 'priority' }]),
    [{ value: 'org_company=company' }],
    [],
    [{ column_name: 'serial' }],
    { result: true, description: 'The dictionary was read again.' },
  ])
  expect(responses[0]?.data).toMatchObject({ user: { user_name: 'admin' } })
})
