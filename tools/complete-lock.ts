/**
 * Makes package-lock.json complete for `npm ci`: every package has an integrity hash, no address of a registry occurs, and every required
 * package is locked. With `--check` only reports (exit code 1 if something is wrong).
 *
 * Packages for other platforms need care. If the registry that was used to write the lock file lacks them, npm leaves them out or locks
 * them without a hash, and `npm ci` then rejects the file or installs unverified packages. Such a package is removed from the lock file
 * together with its parent's dependency on it. It returns when `npm install` runs with a registry that has it.
 *
 * The Node versions that packages require are removed too: all of them run on the Node that `npm ci` installs (the package `node`), and npm
 * would warn sixty times that the Node that runs npm is older.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly engines?: unknown
  readonly optional?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
type Packages = Readonly<Record<string, LockedPackage>>

const { values: options, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const path = resolve(positionals[0] ?? fileURLToPath(new URL('../package-lock.json', import.meta.url)))

// Not parsed into a new object: everything else that npm wrote stays unchanged and in its place.
const lock = JSON.parse(readFileSync(path, 'utf8')) as { readonly packages: Packages }

/** The project itself (''), its workspaces, and the links to them: these are not installed from a registry. */
const isOurs = (where: string, { link }: LockedPackage): boolean => link === true || !where.includes('node_modules/')

const isUnverified = (where: string, locked: LockedPackage): boolean =>
  !isOurs(where, locked) && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(locked.integrity ?? '')

/** Names of the optional dependencies of a package that the lock file cannot install. */
function unlockedWishes(packages: Packages, where: string): readonly string[] {
  const places = (name: string) => [`${where}/node_modules/${name}`, `node_modules/${name}`]
  return Object.keys(packages[where]?.optionalDependencies ?? {}).filter((name) =>
    places(name).every((place) => packages[place] === undefined),
  )
}

function problemsOf(packages: Packages): readonly string[] {
  return Object.entries(packages).flatMap(([where, locked]) => [
    ...(isUnverified(where, locked) ? [`${where} has no sha512 integrity hash`] : []),
    ...(locked.resolved === undefined || isOurs(where, locked) ? [] : [`${where} names the address of a registry`]),
    ...(isOurs(where, locked) || locked.engines === undefined ? [] : [`${where} says which Node it wants`]),
    ...unlockedWishes(packages, where).map((name) => `${where} wants ${name}, which is not locked`),
  ])
}

function completed(packages: Packages): Packages {
  const verified = Object.fromEntries(
    Object.entries(packages)
      .filter(([where, locked]) => !(locked.optional === true && isUnverified(where, locked)))
      .map(([where, locked]) => [where, isOurs(where, locked) ? locked : withoutNoise(locked)]),
  )
  return Object.fromEntries(
    Object.entries(verified).map(([where, locked]) => [where, withoutWishes(locked, unlockedWishes(verified, where))]),
  )
}

function withoutNoise({ resolved: _, engines: __, ...kept }: LockedPackage): LockedPackage {
  return kept
}

function withoutWishes(locked: LockedPackage, names: readonly string[]): LockedPackage {
  if (names.length === 0) return locked
  const { optionalDependencies = {}, ...rest } = locked
  const kept = Object.entries(optionalDependencies).filter(([name]) => !names.includes(name))
  return kept.length === 0 ? rest : { ...locked, optionalDependencies: Object.fromEntries(kept) }
}

if (!options.check) {
  const packages = completed(lock.packages)
  writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  const removed = Object.keys(lock.packages).filter((where) => packages[where] === undefined)
  console.log(
    `removed ${removed.length} optional packages without a hash${removed.map((where) => `\n  ${where}`).join('')}`,
  )
}
const errors = problemsOf(options.check ? lock.packages : completed(lock.packages))
for (const error of errors) console.error(`package-lock.json: ${error}: run npm install and npm run lock.`)
if (errors.length > 0) process.exitCode = 1
else console.log(`package-lock.json is complete: ${Object.keys(lock.packages).length - 1} packages, each with a hash.`)
