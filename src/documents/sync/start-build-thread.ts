import { startThread, type Thread } from '../../processes/worker-thread.ts'
import type { BuildWork } from './build-thread.ts'

/** Starting it again takes 80 ms of CPU; while it exists it holds 30 to 100 MB, most of them after large documents. */
const endsAfterMs = 30_000

/** The thread that splits texts and builds segments. It keeps nothing, so it exists only while documents are loaded. */
export const startBuildThread = (start: typeof startThread = startThread): Thread<BuildWork> =>
  start<BuildWork>(new URL('./build-thread.ts', import.meta.url), undefined, { endsAfterMs })
