import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of released shared memory since the last collection after which the next one is due. */
const dueBytes = 16 * 1024 * 1024

let letGoBytes = 0
let collect: (() => void) | undefined

/**
 * Call this with shared buffers that this thread no longer needs. V8 does not count shared memory, and a thread that allocates
 * little else would never collect the few bytes that hold hundreds of megabytes. A collection takes such a thread one or two
 * milliseconds.
 */
export function letGoOf(buffers: readonly SharedArrayBuffer[]): void {
  letGoBytes += buffers.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (letGoBytes < dueBytes) return
  letGoBytes = 0
  collectLater()
}

/**
 * Returns memory to the system after the current work, which may still hold the released memory. A thread that allocates much
 * now and then would otherwise keep its largest heap forever.
 */
export function collectLater(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  setImmediate(collect)
}
