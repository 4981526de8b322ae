import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const manifestName = 'manifest.json'

/** Whether the folder may contain an index. Checked before a thread is started to read it. */
export function isSaved(folder: string): boolean {
  return existsSync(join(folder, manifestName))
}
