import { threadId } from 'node:worker_threads'
import { serveCalls } from '../../src/processes/worker-thread.ts'

let calls = 0

const work = {
  /** The thread that served the call, and how many it has served. */
  count: (_: null) => ({ threadId, calls: ++calls }),
  fail(_: null): void {
    throw new RangeError('as requested')
  },
  end(_: null): never {
    process.exit()
  },
  never(_: null): void {
    while (calls >= 0);
  },
}
export type CountingWork = typeof work

serveCalls(work)
