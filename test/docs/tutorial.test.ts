import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'
import { readPage, runCommands, withoutChance } from '../harness/transcript.ts'

// docs/tutorial.md from the first command to the last: the server starts as the page says, and each command prints what it shows.

const { setup, sessions } = readPage('docs/tutorial.md')
const [clone = '', start = '', ...shell] = setup
const commands = sessions.flatMap((session) => session.commands)

let docket: SpawnedDocket
let printed: readonly string[]
beforeAll(async () => {
  const words = start.trim().split(' ').slice(0, -2)
  const environment = Object.fromEntries(words.map((word) => word.split('=') as [string, string]))
  docket = await spawnDocket({ ...environment, DOCKET_DATA_DIR: temporaryFolder(), DOCKET_PORT: '0' })
  // As in a terminal: a command that fails is not the end, and errors are seen.
  const terminal = [...shell, 'set +e', 'exec 2>&1']
  const run = await runCommands(
    terminal,
    commands.map(({ command }) => command),
    { baseUrl: docket.address },
  )
  printed = run.printed
})
afterAll(() => docket.stop())

describe('docs/tutorial.md (issue 9, step 10)', () => {
  test('begins with a clone, an installation and a start', () => {
    expect(clone).toMatch(/^git clone .*\ncd docket\nnpm ci\n$/)
    expect(start).toMatch(/^DOCKET_DEMO=off DOCKET_DATA_DIR=tutorial .* npm start\n$/)
    expect(commands.length).toBeGreaterThan(25)
  })

  test.each(commands.map((command, at) => ({ ...command, at })))('$command', ({ at, displayed }) => {
    expect(withoutChance(printed[at] ?? '', docket.address)).toBe(withoutChance(displayed, docket.address))
  })
})
