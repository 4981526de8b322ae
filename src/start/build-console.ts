import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import {
  buildErrorFile,
  buildScript,
  builtFingerprint,
  canBuild,
  consoleFolder,
  fingerprintOfSources,
  hasSources,
} from '../config/console-build.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Observe } from '../telemetry/observation.ts'

/**
 * Builds the console in a separate process if its sources have changed. Nothing waits for it: the API responds, and /console displays the
 * progress.
 *
 * @returns ends the build
 */
export function buildConsole({ clock, observe }: { readonly clock: Clock; readonly observe: Observe }): () => void {
  if (!hasSources()) return nothingToEnd
  if (builtFingerprint() === fingerprintOfSources()) return nothingToEnd
  if (!canBuild()) {
    const detail = `the sources in ${consoleFolder} have changed, but it is read-only or ${buildScript} is missing`
    observe({ kind: 'console-build-failed', detail })
    return nothingToEnd
  }
  rmSync(buildErrorFile, { force: true })
  const fail = (detail: string): void => {
    // A build that was killed has left no reason for the page.
    if (!existsSync(buildErrorFile)) writeFileSync(buildErrorFile, detail)
    observe({ kind: 'console-build-failed', detail })
  }
  const beganMs = clock.nowMs()
  const child = execFile(process.execPath, [buildScript], (error, _stdout, stderr) => {
    if (child.killed) return
    if (error === null) observe({ kind: 'console-built', tookMs: clock.nowMs() - beganMs })
    else fail(stderr.trim() || error.message)
  })
  return () => void child.kill()
}

const nothingToEnd = (): void => undefined
