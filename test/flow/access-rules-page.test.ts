import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

// The commands of docs/access-rules.md, pasted in order into one shell against the demo desk, get the answers that the page shows.

const page = readFileSync(fileURLToPath(new URL('../../docs/access-rules.md', import.meta.url)), 'utf8')
const blocks = [...page.matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)].map(([, language, text = '']) => ({
  language,
  text,
}))
const setup = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
const sessions = blocks
  .filter(({ language }) => language === 'console')
  .flatMap(({ text }) => text.split(/^\$ /m).slice(1))
  .map((session) => {
    const [command = '', ...shown] = session.trim().split('\n')
    return { command, shown: shown.join('') }
  })

let fresh: FreshDatabase
let docket: RunningDocket
let answers: readonly string[]
beforeAll(async () => {
  fresh = await freshDatabase('demo')
  docket = await startDocket({ fresh })
  const end = `printf '\\n@@@\\n'`
  const script = [
    ...setup.map((text) => text.replace('http://127.0.0.1:8080', docket.baseUrl)),
    ...sessions.map(({ command }) => `${command}\n${end}`),
  ]
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script.join('\n')], {
    env: { PATH: process.env['PATH'] ?? '', PASSWORD: admin.password },
  })
  answers = stdout.split('@@@\n').map((text) => text.trim())
})
afterAll(async () => {
  await docket.close()
  await fresh.drop()
})

/** What differs from server to server. */
const tidy = (text: string): string =>
  text
    .replaceAll(docket.baseUrl, 'http://127.0.0.1:8080')
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"…"')
    .replaceAll(/\b\d{18}\b/g, '155931135900000001')

describe('docs/access-rules.md shows what its commands get (issue 8)', () => {
  test('has one block for the shell, and answers to its commands', () => {
    expect(setup).toHaveLength(1)
    expect(sessions.length).toBeGreaterThan(25)
    expect(sessions.filter(({ shown }) => shown.startsWith('{')).length).toBeGreaterThan(20)
  })

  test.each(sessions.map((session, at) => ({ ...session, at })))('$command', ({ at, shown }) => {
    expect(tidy(answers[at] ?? '')).toBe(tidy(shown))
  })
})
