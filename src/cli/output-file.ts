import { stat } from 'node:fs/promises'
import { StartFailure } from '../kernel/start-failure.ts'

/**
 * A complete file takes the place of the one with its name. A folder cannot be replaced, and a device or a pipe would be lost by it.
 *
 * @throws StartFailure if something else than a file has this name
 */
export async function mustBeReplaceable(path: string): Promise<void> {
  if (path === '') throw new StartFailure('The name of the file is empty (- is the standard output).', { exitCode: 2 })
  const there = await stat(path).catch(() => null)
  if (there === null || there.isFile()) return
  const what = there.isDirectory() ? 'a folder' : 'a device or a pipe'
  throw new StartFailure(`${path} is ${what}: name a file (- is the standard output).`, { exitCode: 2 })
}

/** @throws StartFailure that names the file */
export function cannotWrite(path: string, error: unknown): never {
  const why = error instanceof Error ? error.message : String(error)
  throw new StartFailure(`${path} cannot be written (${why}): name a folder that exists and can be written.`, {
    cause: error,
  })
}
