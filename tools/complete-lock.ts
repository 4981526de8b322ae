/**
 * Completes package-lock.json with the packages of other platforms: where a registry does not carry them, npm leaves them
 * out of the lock file, and newer versions of npm then refuse it in `npm ci`. With `--check` only says whether it is
 * complete (exit code 1 when not).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url))

interface LockedPackage {
  readonly version?: string
  readonly dev?: true
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

// Not parsed into a new object: everything that npm wrote stays as and where it was.
const lock = JSON.parse(readFileSync(path, 'utf8')) as { readonly packages: Readonly<Record<string, LockedPackage>> }

/** Platforms by the words in the names of their packages. */
const systems = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony', 'aix', 'sunos']
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el']

function platformOf(name: string): { readonly os?: readonly string[]; readonly cpu?: readonly string[] } {
  const words = name.split(/[/-]/)
  const os = systems.filter((system) => words.includes(system))
  const cpu = processors.filter((processor) => words.includes(processor))
  return { ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }) }
}

const missing = Object.entries(lock.packages).flatMap(([where, { dev, optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => lock.packages[`node_modules/${name}`] === undefined)
    .filter(([name]) => lock.packages[`${where}/node_modules/${name}`] === undefined)
    // A range has no one version; only packages of one release with their parent are named exactly.
    .filter(([, version]) => /^\d+\.\d+\.\d+/.test(version))
    .map(([name, version]) => ({ name, entry: { version, ...platformOf(name), ...(dev && { dev }), optional: true } })),
)
const withAddress = Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined).length

function withoutAddress({ resolved: _, ...kept }: LockedPackage): Omit<LockedPackage, 'resolved'> {
  return kept
}

if (process.argv.includes('--check')) {
  const troubles = [
    ...missing.map(({ name }) => `package-lock.json lacks ${name}: run npm run lock.`),
    ...(withAddress > 0 ? [`package-lock.json names ${withAddress} addresses of a registry: run npm run lock.`] : []),
  ]
  for (const trouble of troubles) console.error(trouble)
  if (troubles.length > 0) process.exitCode = 1
  else console.log(`package-lock.json is complete: ${Object.keys(lock.packages).length} packages.`)
} else {
  const added = missing.map(({ name, entry }) => [`node_modules/${name}`, entry] as const)
  const packages = Object.fromEntries(
    [
      ...Object.entries(lock.packages).map(([where, locked]) => [where, withoutAddress(locked)] as const),
      ...added,
    ].sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  console.log(`added ${added.length} packages, removed ${withAddress} addresses`)
}
