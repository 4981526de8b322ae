import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StartFailure } from '../kernel/start-failure.ts'
import type { Frame } from './frames.ts'
import { readFrames } from './read-frames.ts'
import { writeFrames } from './write-frames.ts'

const rows = fc.record({
  header: fc.record({ kind: fc.constant('rows' as const), table: fc.constantFrom('docket.task', 'docket."user"') }),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
})
const totals = { tables: 1, rows: 2, files: 3, fileBytes: 4, missingFiles: 0 }
const end: Frame = { header: { kind: 'end', totals }, payload: Buffer.alloc(0) }

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}
async function write(frames: readonly Frame[]): Promise<Buffer> {
  const written: Buffer[] = []
  await writeFrames(each([...frames, end]), async (bytes) => void written.push(bytes))
  return Buffer.concat(written)
}
async function read(pieces: readonly Buffer[]): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  for await (const frame of readFrames(each(pieces), 'F')) frames.push(frame)
  return frames
}

test('what is written is read back, however the bytes arrive (issue 8, C1)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rows, { maxLength: 8 }), fc.integer({ min: 1, max: 100 }), async (frames, size) => {
      const bytes = await write(frames)
      const pieces: Buffer[] = []
      for (let from = 0; from < bytes.length; from += size) pieces.push(bytes.subarray(from, from + size))
      expect(await read(pieces)).toEqual([...frames, end])
    }),
  )
})

test('any byte that is changed, missing or added is found (issue 8, C1)', async () => {
  const damage = fc.oneof(
    fc.record({ kind: fc.constant('changed' as const), at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) }),
    fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('added' as const), at: fc.nat() }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(rows, { maxLength: 5 }), damage, async (frames, done) => {
      const bytes = await write(frames)
      const at = done.at % bytes.length
      if (done.kind === 'changed') bytes[at] = (bytes[at] ?? 0) ^ done.by
      const damagedBytes =
        done.kind === 'cut'
          ? bytes.subarray(0, at)
          : done.kind === 'added'
            ? Buffer.concat([bytes, Buffer.from([at % 256])])
            : bytes
      await expect(read([damagedBytes])).rejects.toThrow(StartFailure)
    }),
  )
})
