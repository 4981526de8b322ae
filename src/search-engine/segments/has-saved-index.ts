import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const manifestName = 'manifest.json'

/** Whether there may be an index in the folder. Asked before a thread is started to read it. */
export function isSaved(folder: string): boolean {
  return existsSync(join(folder, manifestName))
}
