import { readFileSync, statSync } from 'node:fs'

/** Whether a process of this number runs, whoever owns it. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Whether a living process may be a PostgreSQL that works in `directory`. Process numbers are used again, in containers
 * soon; another program under the number in postmaster.pid is no server. When it cannot be told, the answer is true.
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
