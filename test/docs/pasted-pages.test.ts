import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'
import { docketCommands, readPage, runCommands, withoutChance } from '../harness/transcript.ts'

// The commands of these pages, pasted in order into one shell against the demo desk, get the responses that the pages show.

describe.each([
  { page: 'docs/access-rules.md', commandCount: 26, bodyCount: 21 },
  { page: 'docs/dictionary.md', commandCount: 23, bodyCount: 18 },
  { page: 'docs/changes.md', commandCount: 11, bodyCount: 3 },
])('$page shows what its commands get (issues 8 and 9)', ({ page, commandCount, bodyCount }) => {
  const { setup, sessions } = readPage(page)
  const commands = sessions.flatMap((session) => session.commands)

  let fresh: FreshDatabase
  let docket: RunningDocket
  let printed: readonly string[]
  beforeAll(async () => {
    fresh = await freshDatabase('demo')
    docket = await startDocket({ fresh })
    const run = await runCommands(
      [docketCommands, ...setup],
      commands.map(({ command }) => command),
      { baseUrl: docket.baseUrl, folder: temporaryFolder() },
    )
    printed = run.printed
  })
  afterAll(async () => {
    await docket.close()
    await fresh.drop()
  })

  test('has one block for the shell, and responses to its commands', () => {
    expect(setup).toHaveLength(1)
    expect(commands.length).toBeGreaterThanOrEqual(commandCount)
    expect(commands.filter(({ displayed }) => displayed.startsWith('{')).length).toBeGreaterThanOrEqual(bodyCount)
  })

  test.each(commands.map((command, at) => ({ ...command, at })))('$command', ({ at, displayed }) => {
    expect(withoutChance(printed[at] ?? '', docket.baseUrl)).toBe(withoutChance(displayed, docket.baseUrl))
  })
})
