import { readdirSync, readlinkSync, statSync } from 'node:fs'

/** A file that a process has open after its name was removed. */
export interface UnnamedFile {
  /** Opens it again. */
  readonly path: string
  bytes(): number
}

/** Those of this process, or of another one, that had their name below a folder. */
export function openedUnnamed(folder: string, processId: number | 'self' = 'self'): readonly UnnamedFile[] {
  const descriptors = `/proc/${processId}/fd`
  return readdirSync(descriptors)
    .map((name) => `${descriptors}/${name}`)
    .filter((path) => {
      const target = linkOf(path)
      return target.startsWith(`${folder}/`) && target.endsWith(' (deleted)')
    })
    .map((path) => ({ path, bytes: () => statSync(path).size }))
}

/** '' if it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
