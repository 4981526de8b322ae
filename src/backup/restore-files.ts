import { dropFile, receiveFile } from '../documents/store/blob-store.ts'
import type { BackupProgress, FileStores } from './backup-options.ts'
import type { FrameStream } from './frame-stream.ts'
import type { FilePart, FileStoreName } from './frames.ts'

interface FileParts {
  readonly header: { readonly store: FileStoreName; readonly hash: string; readonly part: FilePart }
  readonly payload: Buffer
}

/** Stores the files of a backup one by one. Those that were damaged when they were backed up are left out. */
export async function restoreFiles(
  frames: FrameStream,
  stores: FileStores,
  onProgress: (doing: BackupProgress) => void,
): Promise<void> {
  const parts = frames.files()
  for (;;) {
    const { value: first, done } = await parts.next()
    if (done) return
    const outcome: { part: FilePart } = { part: 'more' }
    const received = await receiveFile(
      bytesOfFile(first, parts, outcome),
      stores.scratchFolder,
      Number.POSITIVE_INFINITY,
    )
    try {
      const isSound = outcome.part === 'last' && received.hash.toString('hex') === first.header.hash
      if (isSound) await stores[first.header.store].keep(received)
      onProgress({ kind: 'file', name: first.header.hash, bytes: received.size })
    } finally {
      await dropFile(received)
    }
  }
}

/** The bytes of one file; afterwards the stream of parts is at the beginning of the next one. */
async function* bytesOfFile(
  first: FileParts,
  parts: AsyncGenerator<FileParts>,
  outcome: { part: FilePart },
): AsyncGenerator<Buffer> {
  for (let current = first; ; ) {
    yield current.payload
    outcome.part = current.header.part
    if (outcome.part !== 'more') return
    const { value, done } = await parts.next()
    if (done) return
    current = value
  }
}
