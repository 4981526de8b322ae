/**
 * The transfer of a result from an extraction process: a length and a message. Node's own channel between processes copies a
 * large message again with each part that arrives, and blocks the server for seconds. Blocks as numbers in one array instead of
 * objects reduce what the server must allocate.
 */
import { deserialize, serialize } from 'node:v8'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { Block, BlockKind, ExtractedText } from '../extracted-text.ts'
import type { FileProblem } from '../rejection.ts'

type Message =
  | { readonly problem: FileProblem }
  | {
      readonly text: string
      readonly about: Omit<ExtractedText, 'text' | 'blocks'>
      /** Eight numbers for each block. */
      readonly blocks: Int32Array
      readonly headingPaths: readonly (readonly string[])[]
    }

const lengthBytes = 4
const numbersOfBlock = 8
const kinds: readonly BlockKind[] = [
  'heading',
  'slide',
  'sheet',
  'paragraph',
  'list-item',
  'table-row',
  'code',
  'quote',
  'note',
]

export function writeResult(result: Result<ExtractedText, FileProblem>): Buffer {
  const message = serialize(result.ok ? packed(result.value) : ({ problem: result.error } satisfies Message))
  const frame = Buffer.allocUnsafe(lengthBytes + message.length)
  frame.writeUInt32LE(message.length)
  frame.set(message, lengthBytes)
  return frame
}

function packed({ text, blocks, ...about }: ExtractedText): Message {
  const headingPaths: (readonly string[])[] = []
  const numbers = new Int32Array(blocks.length * numbersOfBlock)
  for (const [index, block] of blocks.entries()) {
    const { from, to, kind, level = 0, page = 0, pageTo = 0, headingPath } = block
    // Blocks under one heading are adjacent and share the array of its path.
    if (headingPaths.at(-1) !== headingPath) headingPaths.push(headingPath)
    const path = headingPaths.length - 1
    numbers.set([from, to, kinds.indexOf(kind), level, page, pageTo, rowBits(block), path], index * numbersOfBlock)
  }
  return { text, about, blocks: numbers, headingPaths }
}

const beginsTableBit = 1
const isHeaderBit = 2

function rowBits({ beginsTable = false, isHeader = false }: Block): number {
  return (beginsTable ? beginsTableBit : 0) | (isHeader ? isHeaderBit : 0)
}

/** Assembles results from the parts in which they arrive. */
export interface ResultReader {
  /** @throws Error when a message is longer than `maxBytes`: a valid result never is */
  take(piece: Buffer): void
}

export function createResultReader(
  maxBytes: number,
  onResult: (result: Result<ExtractedText, FileProblem>) => void,
): ResultReader {
  let pieces: Buffer[] = []
  let bytes = 0
  return {
    take(piece) {
      pieces.push(piece)
      bytes += piece.length
      for (;;) {
        if (bytes < lengthBytes) return
        if ((pieces[0]?.length ?? 0) < lengthBytes) pieces = [Buffer.concat(pieces)]
        const length = pieces[0]?.readUInt32LE() ?? 0
        if (length > maxBytes) throw new Error(`a result of ${length} bytes; at most ${maxBytes} are taken`)
        if (bytes < lengthBytes + length) return
        const whole = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces)
        const rest = whole.subarray(lengthBytes + length)
        pieces = rest.length > 0 ? [rest] : []
        bytes = rest.length
        onResult(unpacked(deserialize(whole.subarray(lengthBytes, lengthBytes + length)) as Message))
      }
    },
  }
}

function unpacked(message: Message): Result<ExtractedText, FileProblem> {
  if ('problem' in message) return fail(message.problem)
  const { text, about, blocks: numbers, headingPaths } = message
  const blocks: Block[] = []
  for (let at = 0; at < numbers.length; at += numbersOfBlock) blocks.push(blockAt(numbers, at, headingPaths))
  return succeed({ text, ...about, blocks })
}

function blockAt(numbers: Int32Array, at: number, headingPaths: readonly (readonly string[])[]): Block {
  const from = numbers[at] ?? 0
  const to = numbers[at + 1] ?? 0
  const kind = kinds[numbers[at + 2] ?? 0] ?? 'paragraph'
  const level = numbers[at + 3] ?? 0
  const page = numbers[at + 4] ?? 0
  const pageTo = numbers[at + 5] ?? 0
  const bits = numbers[at + 6] ?? 0
  const headingPath = headingPaths[numbers[at + 7] ?? 0] ?? []
  const paged = page === 0 ? { from, to, kind, headingPath } : { from, to, kind, headingPath, page }
  // Nearly all blocks have none of these.
  if (level === 0 && pageTo === 0 && bits === 0) return paged
  return {
    ...paged,
    ...(level === 0 ? {} : { level }),
    ...(pageTo === 0 ? {} : { pageTo }),
    ...((bits & beginsTableBit) === 0 ? {} : { beginsTable: true }),
    ...((bits & isHeaderBit) === 0 ? {} : { isHeader: true }),
  }
}
