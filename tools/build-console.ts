/**
 * npm run build: builds the console into console/dist, compresses its assets and writes its fingerprint. Does nothing when
 * the fingerprint fits the sources. `npm start` runs it in a process of its own when it has to.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import {
  buildErrorFile,
  builtFingerprint,
  consoleFolder,
  distFolder,
  fingerprintOfSources,
} from '../src/config/console-build.ts'

const fingerprint = fingerprintOfSources()
if (builtFingerprint() !== fingerprint) await buildConsole()

async function buildConsole(): Promise<void> {
  removeAbandoned()
  // Several processes may build at once; each has a folder of its own until it is whole.
  const folder = join(consoleFolder, `dist-${process.pid}`)
  try {
    // Vite keeps a value that is set; with any other value React includes its checks for developers.
    process.env['NODE_ENV'] = 'production'
    const { build } = await import('vite')
    await build({ root: consoleFolder, logLevel: 'warn', build: { outDir: folder } })
    const { displayScript, listRenderer } = await import('../console/vite.painted.config.ts')
    for (const part of [displayScript, listRenderer]) await build({ ...part, build: { ...part.build, outDir: folder } })
    compressAssets(join(folder, 'assets'))
    writeFileSync(join(folder, 'fingerprint'), fingerprint)
    const old = `${folder}-old`
    if (existsSync(distFolder)) renameSync(distFolder, old)
    renameSync(folder, distFolder)
    rmSync(old, { recursive: true, force: true })
    rmSync(buildErrorFile, { force: true })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    writeFileSync(buildErrorFile, text)
    console.error(text)
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes the folders of killed builds; a running build keeps its own. */
function removeAbandoned(): void {
  for (const name of readdirSync(consoleFolder)) {
    const pid = /^dist-(\d+)(-old)?$/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(consoleFolder, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another account cannot be signalled, but it runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function compressAssets(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const bytes = readFileSync(file)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
