import { workerData } from 'node:worker_threads'
import { serveCalls } from '../../src/processes/worker-thread.ts'

/** Shared: [0] is 1 once the module has begun, [1] once it has been loaded. */
const steps = new Int32Array(workerData as SharedArrayBuffer)
Atomics.store(steps, 0, 1)
Atomics.notify(steps, 0)
// Long enough for whoever ends the thread to do so in the middle of it.
const end = performance.now() + 300
while (performance.now() < end);
Atomics.store(steps, 1, 1)

const work = {
  answer: (_: null) => 42,
}
export type SlowWork = typeof work

serveCalls(work)
