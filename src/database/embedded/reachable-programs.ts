import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  type Dirent,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { OperatingAccount } from './operating-account.ts'
import { type PostgresPrograms, postgresProgram } from './postgres-programs.ts'

/**
 * The programs at a place where `account` can run them: the original, otherwise a copy. PostgreSQL resolves the real path of its program to
 * find its libraries, so an open descriptor or a working directory does not help with an inaccessible parent folder
 * (docs/decisions/0001-embedded-postgresql-under-root.md).
 *
 * @throws StartFailure if the account can run them nowhere
 */
export function makeProgramsReachable(
  programs: PostgresPrograms,
  account: OperatingAccount | undefined,
): PostgresPrograms {
  const inPlace = tryPrograms(programs, account)
  if (inPlace === undefined) return programs
  if (account === undefined) throw doesNotRun(inPlace)
  const failures = [inPlace]
  for (const parent of [
    '/var/cache/docket',
    '/var/lib/docket-programs',
    join(tmpdir(), 'docket-postgresql'),
    '/run/docket',
  ]) {
    const directory = join(parent, `postgresql-${programs.version}`)
    const copy = { ...programs, directory }
    const failure = tryCopy(programs, copy, account)
    if (failure === undefined) return copy
    failures.push(`${parent}: ${failure}`)
  }
  throw doesNotRun(failures.join('; '))
}

function doesNotRun(why: string): StartFailure {
  return new StartFailure(
    `The PostgreSQL that comes with Docket does not run on this machine (${why}): set DOCKET_DATABASE_URL to a PostgreSQL 14 or newer.`,
  )
}

/** @returns why they cannot be run; undefined: they can */
function tryPrograms(programs: PostgresPrograms, account: OperatingAccount | undefined): string | undefined {
  const unreachable = account === undefined ? undefined : samples(programs).find((path) => !isReachable(path, account))
  if (unreachable !== undefined) return `${unreachable} cannot be reached by the account ${account?.name}`
  const run = spawnSync(postgresProgram(programs, 'postgres'), ['--version'], {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: '/',
    encoding: 'utf8',
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (run.status === 0) return undefined
  return run.error?.message ?? (run.stderr.trim().split('\n')[0] || `exit code ${run.status}`)
}

/** One file of each folder is enough: their modes come from one npm run with one umask. */
function samples({ directory }: PostgresPrograms): readonly string[] {
  return [
    'bin/postgres',
    'bin/initdb',
    'lib/postgresql/plpgsql.so',
    'share/postgresql/postgres.bki',
    'share/postgresql/timezone/UTC',
  ].map((path) => join(directory, path))
}

function isReachable(path: string, account: OperatingAccount): boolean {
  if (!existsSync(path)) return false
  const real = realpathSync(path)
  return isAllowed(real, account, 4) && foldersAbove(real).every((folder) => isAllowed(folder, account, 1))
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}

function isAllowed(path: string, account: OperatingAccount, bit: 1 | 4): boolean {
  const { uid, gid, mode } = statSync(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & bit) === bit
}

/** @returns why there is no working copy; undefined: there is one, made now or by an earlier start */
function tryCopy(programs: PostgresPrograms, copy: PostgresPrograms, account: OperatingAccount): string | undefined {
  const parent = dirname(copy.directory)
  try {
    mkdirSync(parent, { recursive: true })
    if (!isOursAlone(parent)) return 'belongs to somebody else'
    chmodSync(parent, 0o755)
    if (tryPrograms(copy, account) === undefined) return undefined
    rmSync(copy.directory, { recursive: true, force: true })
    copyPrograms(programs.directory, copy.directory)
    return tryPrograms(copy, account)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Root must not run programs from a folder that another account can write, such as one that it created before in /tmp. */
function isOursAlone(folder: string): boolean {
  const { uid, mode } = lstatSync(folder)
  return uid === 0 && lstatSync(folder).isDirectory() && (mode & 0o022) === 0
}

/** Created in a temporary folder and renamed, so that a killed start leaves nothing that looks complete. */
function copyPrograms(from: string, to: string): void {
  const aside = mkdtempSync(`${to}.`)
  try {
    copyFolder(from, aside)
    renameSync(aside, to)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another first start has just created the same copy.
    if (lstatSync(to, { throwIfNoEntry: false }) === undefined) throw error
  }
}

/** Only the parts of the libraries that are needed at run time, not for compilation. */
const notNeeded = /\.a$|^pkgconfig$|^pgxs$/

function copyFolder(from: string, to: string): void {
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true }).filter(({ name }) => !notNeeded.test(name))) {
    copyEntry(entry, join(from, entry.name), join(to, entry.name))
  }
}

function copyEntry(entry: Dirent, from: string, to: string): void {
  if (entry.isDirectory()) {
    mkdirSync(to)
    copyFolder(from, to)
  } else if (entry.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to)
  } else {
    linkOrCopy(from, to)
  }
}

function linkOrCopy(from: string, to: string): void {
  const wanted = (statSync(from).mode & 0o111) === 0 ? 0o644 : 0o755
  // A link takes no disk space, but shares owner and mode with the original: only if these already allow others to read.
  const isShareable = (statSync(from).mode & 0o777) === wanted && statSync(from).uid === 0
  if (isShareable) {
    try {
      linkSync(from, to)
      return
    } catch {
      // On another file system.
    }
  }
  copyFileSync(from, to)
  chmodSync(to, wanted)
}
