import { readFileSync, statSync } from 'node:fs'

/**
 * Whether a process with this number runs, of any owner. One that has ended and whose exit code was not read yet (a
 * zombie: for good, where the first process of a container does not read it) does not run.
 */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return process.platform !== 'linux' || !isZombie(processId)
}

function isZombie(processId: number): boolean {
  try {
    // "number (name) state …", and a name may hold brackets.
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

/**
 * Whether a living process may be a PostgreSQL that works in `directory`. Process numbers are used again, in containers
 * soon; another program with the number in postmaster.pid is not a server. If unknown, the result is true.
 */
export function mayWorkIn(processId: number, directory: string): boolean {
  if (!isAlive(processId)) return false
  if (process.platform !== 'linux') return true
  try {
    if (readFileSync(`/proc/${processId}/comm`, 'utf8').trim() !== 'postgres') return false
    const [theirs, ours] = [statSync(`/proc/${processId}/cwd`), statSync(directory)]
    return theirs.ino === ours.ino && theirs.dev === ours.dev
  } catch {
    return isAlive(processId)
  }
}
