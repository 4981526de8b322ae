import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of shared memory let go of since the last collection at which the next one is due. */
const dueBytes = 16 * 1024 * 1024

let letGoBytes = 0
let collect: (() => void) | undefined

/**
 * To be told of shared buffers that this thread needs no more. The engine does not count shared memory, and a thread that
 * makes little else would never collect the few bytes that hold hundreds of megabytes. A collection takes such a thread a
 * millisecond or two.
 */
export function letGoOf(buffers: readonly SharedArrayBuffer[]): void {
  letGoBytes += buffers.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (letGoBytes < dueBytes) return
  letGoBytes = 0
  collectLater()
}

/**
 * Gives memory back to the system after the current work, which may still hold what it let go of. A thread that makes much
 * once in a while would keep its largest heap for good.
 */
export function collectLater(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  setImmediate(collect)
}
