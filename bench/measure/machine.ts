import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Each result names the machine that it was measured on: only figures of one run compare. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly kernel: string
  readonly node: string
  readonly commit: string
  /** Load of the last minute: how much else was running. */
  readonly loadAverage: number
  readonly date: string
}

export function describeMachine(): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: commitOf(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    date: new Date().toISOString().slice(0, 16),
  }
}

function commitOf(): string {
  const folder = fileURLToPath(new URL('../..', import.meta.url))
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim()
  try {
    return git('describe', '--always', '--dirty')
  } catch {
    return 'unknown'
  }
}
