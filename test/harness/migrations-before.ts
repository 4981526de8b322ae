import { cpSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const migrationFolder = new URL('../../migrations/', import.meta.url).pathname

/** A folder with the migrations before the one that is called `name`, regardless of its number. The caller removes it. */
export function migrationsBefore(name: string): string {
  const files = readdirSync(migrationFolder).sort()
  const at = files.findIndex((file) => file.endsWith(`_${name}.sql`))
  if (at < 0) throw new Error(`there is no migration ${name}`)
  const folder = mkdtempSync(join(tmpdir(), 'migrations-before-'))
  for (const file of files.slice(0, at)) cpSync(join(migrationFolder, file), join(folder, file))
  return folder
}
