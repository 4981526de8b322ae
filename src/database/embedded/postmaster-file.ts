import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

/** The content of postmaster.pid, written by a running or killed server. */
export interface PostmasterFile {
  readonly processId: number
  readonly port: number
  /** Only a server with the state `ready` accepts connections. */
  readonly isReady: boolean
}

/** Lines of postmaster.pid, from 0 (PostgreSQL source, utils/pidfile.h). */
const lineOf = { processId: 0, port: 3, status: 7 }

/** @returns undefined if no server runs or ran, or if the file is incomplete */
export function readPostmasterFile(cluster: Cluster): PostmasterFile | undefined {
  const lines = linesOf(join(cluster.dataDirectory, 'postmaster.pid'))
  const processId = Number(lines[lineOf.processId])
  if (!Number.isInteger(processId) || processId <= 0) return undefined
  return { processId, port: Number(lines[lineOf.port]), isReady: lines[lineOf.status]?.trim() === 'ready' }
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}
