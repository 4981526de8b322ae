import { readdirSync, readFileSync } from 'node:fs'

/** Resources that a process and its descendants have used since their start. */
export interface ProcessUsage {
  /** User and system time, in seconds, including ended descendants. */
  readonly cpuSeconds: number
  /** Memory, in bytes: pages that several processes share are divided among them. */
  readonly memoryBytes: number
}

/** `getconf CLK_TCK`: 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

interface Stat {
  readonly parentId: number
  readonly ownTicks: number
  readonly endedTicks: number
}

/**
 * CPU time of a process tree, from /proc.
 *
 * @throws Error if the process is gone
 */
export function cpuSecondsOf(processId: number): number {
  const tree = readTree(processId)
  let ticks = 0
  for (const stat of tree.values()) ticks += stat.ownTicks + stat.endedTicks
  return ticks / ticksPerSecond
}

export function usageOf(processId: number): ProcessUsage {
  let memoryBytes = 0
  for (const id of readTree(processId).keys()) memoryBytes += proportionalBytes(id)
  return { cpuSeconds: cpuSecondsOf(processId), memoryBytes }
}

/** CPU time of the threads of one process, in seconds, by their names. */
export function threadSecondsOf(processId: number): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>()
  const folder = `/proc/${processId}/task`
  for (const thread of readdirSync(folder)) {
    const name = readFileSync(`${folder}/${thread}/comm`, 'utf8').trim()
    const nanoseconds = Number(readFileSync(`${folder}/${thread}/schedstat`, 'latin1').split(' ')[0])
    seconds.set(name, (seconds.get(name) ?? 0) + nanoseconds / 1e9)
  }
  return seconds
}

/** The process that started this one. */
export function parentOf(processId: number): number {
  const stat = readStat(processId)
  if (stat === null) throw new Error(`process ${processId} is gone`)
  return stat.parentId
}

/** Resident memory of one process, in bytes. */
export function residentBytesOf(processId: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) * 1_024
}

function readTree(rootId: number): ReadonlyMap<number, Stat> {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null
    if (stat !== null) stats.set(Number(name), stat)
  }
  if (!stats.has(rootId)) throw new Error(`process ${rootId} is gone`)
  const belongs = (id: number): boolean => {
    for (let at: number | undefined = id; at !== undefined && at > 1; at = stats.get(at)?.parentId) {
      if (at === rootId) return true
    }
    return false
  }
  return new Map([...stats].filter(([id]) => belongs(id)))
}

/** proc(5): the name is in brackets and may contain anything, so fields are counted from the last bracket. */
function readStat(processId: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'latin1')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parentId = 0] = fields
    const ticks = (at: number): number => fields[at] ?? 0
    return { parentId, ownTicks: ticks(11) + ticks(12), endedTicks: ticks(13) + ticks(14) }
  } catch {
    return null
  }
}

function proportionalBytes(processId: number): number {
  try {
    const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/smaps_rollup`, 'utf8'))
    return Number(match?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}
