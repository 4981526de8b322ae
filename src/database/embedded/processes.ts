import { readFileSync, statSync } from 'node:fs'

/**
 * Whether a process with this id runs, of any owner. A process that has ended and whose exit code was not read yet (a zombie: forever, if
 * the first process of a container does not read it) does not count.
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
    // "id (name) state …"; a name may contain brackets.
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

/**
 * Whether a running process may be a PostgreSQL with this data directory. Process ids are reused, in containers soon; another program with
 * the id in postmaster.pid is not a server. If unknown, the result is true.
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
