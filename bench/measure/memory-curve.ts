import { readFileSync, writeFileSync } from 'node:fs'
import { residentBytesOf } from './process-usage.ts'

/** Resident memory of a process over the time of some work, in MiB. */
export interface MemoryCurve {
  readonly before: number
  /** The peak according to the kernel, also between samples. */
  readonly peak: number
  /** About thirty samples, at equal distances. */
  readonly curve: readonly number[]
}

const sampleEveryMs = 100
const displayedSamples = 30

/** @param processId of one process, not of its descendants */
export async function withMemoryCurve(processId: number, work: () => Promise<unknown>): Promise<MemoryCurve> {
  const before = residentBytesOf(processId)
  // proc(5): resets the peak to the current resident memory.
  writeFileSync(`/proc/${processId}/clear_refs`, '5')
  const samples: number[] = [before]
  const timer = setInterval(() => samples.push(residentBytesOf(processId)), sampleEveryMs)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))
  const peak = Number(match?.[1] ?? 0) * 1_024
  const step = Math.max(1, Math.floor(samples.length / displayedSamples))
  return {
    before: mebi(before),
    peak: mebi(peak),
    curve: samples.filter((_sample, at) => at % step === 0).map(mebi),
  }
}

const mebi = (bytes: number): number => Math.round(bytes / 1_048_576)
