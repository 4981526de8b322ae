import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export const consoleFolder = join(root, 'console')
/** What the browser loads, and `fingerprint` and `error.txt` of the build. Never committed. */
export const distFolder = join(consoleFolder, 'dist')
/** The components of the console for the server, of the same build. */
export const listPainterFile = join(distFolder, 'server', 'paint-list.mjs')
/** Why the last build failed; absent after one that did not. */
export const buildErrorFile = join(consoleFolder, 'build-error.txt')
export const buildScript = join(root, 'tools', 'build-console.ts')

/** What the built console depends on. */
const sources = ['console', 'packages/client/src', 'src/condition', 'src/kernel', 'package-lock.json']
const leftOut: ReadonlySet<string> = new Set(['dist', 'node_modules', 'build-error.txt'])

/** A packed release has the built console and no sources of it. */
export const hasSources = (): boolean => existsSync(join(consoleFolder, 'index.html'))

/** Whether a start of the server can build the console. */
export function canBuild(): boolean {
  try {
    accessSync(consoleFolder, constants.W_OK)
  } catch {
    return false
  }
  return hasSources() && existsSync(buildScript)
}

/** SHA-256 over names and contents of the sources, in hexadecimal digits. */
export function fingerprintOfSources(): string {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesBelow(join(root, source))).sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

function filesBelow(path: string): readonly string[] {
  if (path.endsWith('.json')) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (leftOut.has(entry.name) || entry.name.startsWith('dist-')) return []
    const below = join(path, entry.name)
    return entry.isDirectory() ? filesBelow(below) : [below]
  })
}

/** Fingerprint of the sources that the built console comes from; null: there is none. */
export function builtFingerprint(): string | null {
  const file = join(distFolder, 'fingerprint')
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}
