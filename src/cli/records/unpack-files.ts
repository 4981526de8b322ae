import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import { StartFailure } from '../../kernel/start-failure.ts'
import { LIST_OF_FILES } from './record-files.ts'

const UNPACKABLE = /\.zip$/i
const OTHER_ARCHIVE = /\.(tar|tgz|tar\.[a-z0-9]+|7z|rar)$/i

/**
 * Runs `work` with a folder of files of records: the folder itself, or the content of a ZIP archive in a temporary folder that is removed
 * afterwards.
 *
 * @throws StartFailure if the archive is of another kind or damaged, or an entry is outside of it
 */
export async function withFilesOf<T>(path: string, work: (folder: string) => Promise<T>): Promise<T> {
  if (OTHER_ARCHIVE.test(path))
    throw new StartFailure(`${path}: unpack it first, or give a ZIP archive or a folder.`, { exitCode: 2 })
  if (!UNPACKABLE.test(path)) return work(path)
  const folder = await mkdtemp(join(tmpdir(), 'docket-files-'))
  try {
    await unpack(path, folder).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new StartFailure(`${path} cannot be unpacked: ${reason}`, { exitCode: 2 })
    })
    return await work(await rootOf(folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The library rejects absolute names and names with `..`. Links become files with their target as text. */
async function unpack(path: string, folder: string): Promise<void> {
  const zip = await openPromise(path)
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      const file = join(folder, entry.fileName)
      await mkdir(dirname(file), { recursive: true })
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(file))
    }
  } finally {
    zip.close()
  }
}

/** A packed folder is often the only entry of its archive. A folder that contains only files is that of a record. */
async function rootOf(folder: string): Promise<string> {
  const [only, second] = await readdir(folder, { withFileTypes: true })
  if (only === undefined || second !== undefined || !only.isDirectory()) return folder
  const inner = join(folder, only.name)
  const entries = await readdir(inner, { withFileTypes: true })
  return entries.some((entry) => entry.isDirectory() || entry.name === LIST_OF_FILES) ? inner : folder
}
