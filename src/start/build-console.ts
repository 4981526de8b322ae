import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import {
  buildErrorFile,
  buildScript,
  builtFingerprint,
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
  if (!hasSources() || builtFingerprint() === fingerprintOfSources()) return () => undefined
  rmSync(buildErrorFile, { force: true })
  if (!existsSync(buildScript)) {
    writeFileSync(buildErrorFile, 'The build script is missing.')
    return () => undefined
  }
  const beganMs = clock.nowMs()
  const child = execFile(process.execPath, [buildScript], (error, _stdout, stderr) => {
    if (child.killed) return
    if (error === null) observe({ kind: 'console-built', tookMs: clock.nowMs() - beganMs })
    else observe({ kind: 'console-build-failed', detail: stderr.trim() || error.message })
  })
  return () => void child.kill()
}
