import { statfs } from 'node:fs/promises'

export interface DiskSpace {
  /** Bytes that this account may still write. */
  readonly free: number
  readonly total: number
}

/** Space of the disk that holds a path. */
export async function diskSpaceOf(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { free: bavail * bsize, total: blocks * bsize }
}

export const freeBytesOf = async (path: string): Promise<number> => (await diskSpaceOf(path)).free
