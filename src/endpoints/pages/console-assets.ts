import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildErrorFile,
  builtFingerprint,
  distFolder,
  fingerprintOfSources,
  hasSources,
} from '../../config/console-build.ts'
import { typeOfAsset } from './asset-type.ts'

export interface Asset {
  readonly type: string
  readonly bytes: Buffer
  /** Compressed contents by content coding; the smallest first. */
  readonly packed: readonly (readonly [coding: 'br' | 'gzip', bytes: Buffer])[]
}

/** The built console, read once: names that callers send are never used as file names. */
export interface BuiltConsole {
  /** index.html, with relative addresses of its assets. */
  readonly page: string
  readonly assets: ReadonlyMap<string, Asset>
}

/**
 * Returns the built console when it exists. Any process may build it, so the folder is read until it matches the sources, and not
 * again after that.
 */
export function consoleReader(): () => BuiltConsole | null {
  let built: BuiltConsole | null = null
  let compared: string | null = null
  return () => {
    if (built !== null) return built
    const found = builtFingerprint()
    // Once for each build: the sources may have been repaired since the one before.
    if (found === null || found === compared) return null
    compared = found
    if (!hasSources() || fingerprintOfSources() === found) built = readConsole()
    return built
  }
}

/** Why the last build failed; null: it did not fail. */
export function buildError(): string | null {
  return existsSync(buildErrorFile) ? readFileSync(buildErrorFile, 'utf8') : null
}

function readConsole(): BuiltConsole {
  const folder = join(distFolder, 'assets')
  const names = readdirSync(folder).filter((name) => typeOfAsset(name) !== undefined)
  return {
    page: readFileSync(join(distFolder, 'index.html'), 'utf8'),
    assets: new Map(names.map((name) => [name, readAsset(folder, name)])),
  }
}

function readAsset(folder: string, name: string): Asset {
  const packed = (['br', 'gzip'] as const).flatMap((coding) => {
    const file = join(folder, `${name}.${coding === 'br' ? 'br' : 'gz'}`)
    return existsSync(file) ? [[coding, readFileSync(file)] as const] : []
  })
  return { type: typeOfAsset(name) ?? '', bytes: readFileSync(join(folder, name)), packed }
}
