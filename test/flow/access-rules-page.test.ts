import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'
import { readPage, runCommands, withoutChance } from '../harness/transcript.ts'

// The commands of docs/access-rules.md, pasted in order into one shell against the demo desk, get the responses that the page shows.

const { setup, sessions } = readPage('docs/access-rules.md')
const commands = sessions.flatMap((session) => session.commands)

let fresh: FreshDatabase
let docket: RunningDocket
let printed: readonly string[]
beforeAll(async () => {
  fresh = await freshDatabase('demo')
  docket = await startDocket({ fresh })
  const run = await runCommands(
    setup,
    commands.map(({ command }) => command),
    docket,
  )
  printed = run.printed
})
afterAll(async () => {
  await docket.close()
  await fresh.drop()
})

describe('docs/access-rules.md shows what its commands get (issue 8)', () => {
  test('has one block for the shell, and responses to its commands', () => {
    expect(setup).toHaveLength(1)
    expect(commands.length).toBeGreaterThan(25)
    expect(commands.filter(({ displayed }) => displayed.startsWith('{')).length).toBeGreaterThan(20)
  })

  test.each(commands.map((command, at) => ({ ...command, at })))('$command', ({ at, displayed }) => {
    expect(withoutChance(printed[at] ?? '', docket.baseUrl)).toBe(withoutChance(displayed, docket.baseUrl))
  })
})
