import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Sink } from '../../backup/write-frames.ts'
import { isAlive } from '../../database/embedded/processes.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { cannotWrite, mustBeReplaceable } from '../output-file.ts'

/**
 * Writes a file so that its name never refers to half of it: under another name until everything is on disk.
 *
 * @param write gets the sink; if it throws, the written part is removed
 * @throws StartFailure if the folder or the disk rejects it
 */
export async function writeWholeFile<T>(path: string, write: (sink: Sink) => Promise<T>): Promise<T> {
  await mustBeReplaceable(path)
  await dropAbandoned(path)
  const unfinished = `${path}.${process.pid}.part`
  // It contains password hashes.
  const file = await open(unfinished, 'wx', 0o600).catch((error: unknown) => cannotWrite(path, error))
  try {
    const written = await write((bytes) => writeAll(file, bytes))
    await file.sync()
    await file.close()
    await rename(unfinished, path)
    await syncFolder(dirname(path))
    return written
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(unfinished, { force: true })
    throw error
  }
}

/** A write may accept fewer bytes than it was given. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await file.write(bytes, from)).bytesWritten
}

/** For pipes. @throws StartFailure if not all of it could be written */
export async function writeToStandardOutput<T>(write: (sink: Sink) => Promise<T>): Promise<T> {
  // A write error is passed to its callback; without this listener it would also end the process.
  process.stdout.on('error', () => undefined)
  return write(
    (bytes) =>
      new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error) => (error ? reject(unwritten(error)) : resolve()))
      }),
  )
}

function unwritten(error: NodeJS.ErrnoException): StartFailure {
  const reason =
    error.code === 'EPIPE'
      ? 'Nobody reads the standard output any more'
      : `The standard output fails (${error.message})`
  return new StartFailure(`${reason}: the backup is not whole.`, { cause: error })
}

/** Files that killed backups on this machine left beside this file. */
async function dropAbandoned(path: string): Promise<void> {
  const folder = dirname(path)
  for (const name of await readdir(folder).catch(() => [])) {
    const [, processId] = name.startsWith(basename(path))
      ? (/^\.(\d+)\.part$/.exec(name.slice(basename(path).length)) ?? [])
      : []
    if (processId !== undefined && !isAlive(Number(processId))) await rm(join(folder, name), { force: true })
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
