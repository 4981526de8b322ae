import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isAlive } from '../../src/database/embedded/processes.ts'
import { runningServer, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

const docketFile = fileURLToPath(new URL('../../bin/docket.js', import.meta.url))

/** The machine's own Node, if it is too old to run Docket itself. */
function findOldNode(): string | undefined {
  const places = ['/usr/bin/node', '/usr/local/bin/node']
  return places.find((path) => {
    try {
      const version = execFileSync(path, ['--version'], { encoding: 'utf8' })
      return Number(version.slice(1).split('.')[0]) < 24
    } catch {
      return false
    }
  })
}

const oldNode = findOldNode()

describe.skipIf(oldNode === undefined)("on the machine's own Node before 24 (skipped where there is none)", () => {
  const node = oldNode ?? ''

  test('commands run on the Node that npm installed, and their exit codes come through', () => {
    expect(execFileSync(node, [docketFile, '--help'], { encoding: 'utf8' })).toContain('Usage: docket')
    expect(() => execFileSync(node, [docketFile, 'fly'], { stdio: 'pipe' })).toThrow("error: unknown command 'fly'")
  })

  test('a wrong setting keeps its exit code and its sentence', () => {
    let failure: unknown
    try {
      execFileSync(node, [docketFile], { env: { ...process.env, DOCKET_PORT: 'x' }, stdio: 'pipe', encoding: 'utf8' })
    } catch (error) {
      failure = error
    }
    expect(failure).toMatchObject({
      status: 2,
      stderr: 'DOCKET_PORT is "x": it must be a whole number from 0 to 65535.\n',
    })
  })

  test('signals come through', async () => {
    const dataDirectory = temporaryFolder()
    const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory }, { node })
    expect(await docket.stop()).toEqual({ code: 0, signal: null })
    expect(runningServer(dataDirectory)).toBeUndefined()
  })

  test('when the process that was started is killed, the one that does the work ends cleanly', async () => {
    const dataDirectory = temporaryFolder()
    const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDirectory }, { node })
    const server = runningServer(dataDirectory) ?? 0
    process.kill(docket.processId, 'SIGKILL')
    await expect.poll(() => isAlive(server), { timeout: 30_000 }).toBe(false)
    expect(runningServer(dataDirectory)).toBeUndefined()
    expect((await docket.exit).signal).toBe('SIGKILL')
    expect(docket.log()).toContain('stopping: the process that started Docket has ended')
  })
})
