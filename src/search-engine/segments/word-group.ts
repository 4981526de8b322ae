import { StepComparison } from './edit-steps.ts'
import { u16, u32 } from './segment.ts'

/** A word, and a number of chunks that is not exceeded by those that contain it. */
export interface NearWord {
  readonly word: string
  readonly maxChunks: number
}

const manyChunks = 0xff_ff_ff_ff

/**
 * The distinct words of one script and one length.
 *
 * Words are listed by their first letters, by their last ones, and by some in the middle, with a letter or more between these blocks.
 * A step changes at most one block. So a word within one step has the first block or the last one, and a word within two steps has one
 * of the three; the middle one is at most one place further on or back, because one step is before it and one after it.
 */
export class WordGroup {
  count = 0
  readonly #length: number
  /** Letters of a block; 0: the words are too short for blocks, and all are compared. */
  readonly #blockLength: number
  /** The words in sequence. */
  #letters: Uint16Array
  /** A bit for each kind of letter: different letters of one script rarely share a bit. */
  #signatures: Uint32Array
  /** Chunks of all segments that were read, including removed ones. */
  #chunks: Uint32Array
  /** A hash table of the words: 0, or the number of a word plus one. */
  #table: Uint32Array
  readonly #first = new WordLists()
  readonly #middle = new WordLists()
  readonly #last = new WordLists()

  constructor(length: number) {
    this.#length = length
    this.#blockLength = length >= 11 ? 3 : length >= 8 ? 2 : length >= 5 ? 1 : 0
    this.#letters = new Uint16Array(8 * length)
    this.#signatures = new Uint32Array(8)
    this.#chunks = new Uint32Array(8)
    this.#table = new Uint32Array(16)
    this.#growLists(8)
  }

  /** @param word its first characters are the word */
  add(word: Uint16Array, chunks: number): void {
    let entry = this.#entryOf(word)
    if (u32(this.#table, entry) === 0) {
      if (this.count === this.#signatures.length) {
        this.#grow()
        entry = this.#entryOf(word)
      }
      this.#insert(word, entry)
    }
    const at = u32(this.#table, entry) - 1
    this.#chunks[at] = Math.min(u32(this.#chunks, at) + chunks, manyChunks)
  }

  collectNear(word: Uint16Array, steps: 1 | 2, found: NearWord[]): void {
    const comparison = new NearComparison(word, steps)
    const block = this.#blockLength
    if (block === 0 || word.length < 2 * block) {
      const signatures = this.#signatures
      for (let at = 0, to = this.count; at < to; at++)
        if (comparison.mayBeNear(u32(signatures, at))) this.#collect(comparison, at, found)
      return
    }
    const first = blockAt(word, 0, block)
    const last = blockAt(word, word.length - block, block)
    this.#first.collect(first, comparison, (at) => {
      if (this.#firstOf(at) === first) this.#collect(comparison, at, found)
    })
    this.#last.collect(last, comparison, (at) => {
      if (this.#lastOf(at) === last && this.#firstOf(at) !== first) this.#collect(comparison, at, found)
    })
    if (steps === 2) this.#collectByMiddle(comparison, { word, first, last }, found)
  }

  #collectByMiddle(comparison: NearComparison, { word, first, last }: QueryBlocks, found: NearWord[]): void {
    const block = this.#blockLength
    const place = middleOf(this.#length, block)
    const blocks = [place - 1, place, place + 1].flatMap((from) =>
      from < 0 || from + block > word.length ? [] : blockAt(word, from, block),
    )
    for (const middle of new Set(blocks))
      this.#middle.collect(middle, comparison, (at) => {
        const isOther = this.#middleOf(at) !== middle || this.#firstOf(at) === first || this.#lastOf(at) === last
        if (!isOther) this.#collect(comparison, at, found)
      })
  }

  #collect(comparison: NearComparison, at: number, found: NearWord[]): void {
    const from = at * this.#length
    const to = from + this.#length
    if (!comparison.isNear(this.#letters, from, to)) return
    found.push({
      word: String.fromCharCode(...this.#letters.subarray(from, to)),
      maxChunks: u32(this.#chunks, at),
    })
  }

  #firstOf(at: number): number {
    return blockAt(this.#letters, at * this.#length, this.#blockLength)
  }

  #middleOf(at: number): number {
    return blockAt(this.#letters, at * this.#length + middleOf(this.#length, this.#blockLength), this.#blockLength)
  }

  #lastOf(at: number): number {
    return blockAt(this.#letters, (at + 1) * this.#length - this.#blockLength, this.#blockLength)
  }

  #insert(word: Uint16Array, entry: number): void {
    const at = this.count++
    this.#letters.set(word.subarray(0, this.#length), at * this.#length)
    this.#signatures[at] = signatureOf(word, this.#length)
    this.#table[entry] = at + 1
    this.#list(at)
  }

  #list(at: number): void {
    if (this.#blockLength === 0) return
    const signature = u32(this.#signatures, at)
    this.#first.add(this.#firstOf(at), at, signature)
    this.#middle.add(this.#middleOf(at), at, signature)
    this.#last.add(this.#lastOf(at), at, signature)
  }

  #grow(): void {
    const size = Math.ceil(this.count * 1.5)
    const [letters, signatures, chunks] = [this.#letters, this.#signatures, this.#chunks]
    this.#letters = new Uint16Array(size * this.#length)
    this.#letters.set(letters)
    this.#signatures = new Uint32Array(size)
    this.#signatures.set(signatures)
    this.#chunks = new Uint32Array(size)
    this.#chunks.set(chunks)
    this.#growLists(size)
    if (this.#table.length >= size * 1.5) return
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(size * 1.5)))
    for (let at = 0; at < this.count; at++) {
      const entry = this.#entryOf(letters.subarray(at * this.#length, (at + 1) * this.#length))
      this.#table[entry] = at + 1
    }
  }

  #growLists(size: number): void {
    if (this.#blockLength === 0) return
    for (const lists of [this.#first, this.#middle, this.#last]) lists.clear(size)
    for (let at = 0; at < this.count; at++) this.#list(at)
  }

  /** The index of the word in the table, or the free index for it. */
  #entryOf(word: Uint16Array): number {
    const mask = this.#table.length - 1
    let entry = hashOf(word, this.#length) & mask
    for (
      let held = u32(this.#table, entry);
      held !== 0 && !this.#isWord(held - 1, word);
      held = u32(this.#table, entry)
    )
      entry = (entry + 1) & mask
    return entry
  }

  #isWord(at: number, word: Uint16Array): boolean {
    const from = at * this.#length
    for (let letter = 0; letter < this.#length; letter++)
      if (u16(this.#letters, from + letter) !== u16(word, letter)) return false
    return true
  }
}

interface QueryBlocks {
  readonly word: Uint16Array
  readonly first: number
  readonly last: number
}

/** Numbers of words, listed by a block of their letters. Different blocks may share a list. */
class WordLists {
  #heads = new Uint32Array(0)
  /** For each word, the number of the next one in its list plus one, and its signature: most words are rejected by it, in one read. */
  #entries = new Uint32Array(0)

  clear(size: number): void {
    this.#heads = new Uint32Array(2 ** Math.ceil(Math.log2(size)))
    this.#entries = new Uint32Array(size * 2)
  }

  add(block: number, at: number, signature: number): void {
    const list = this.#listOf(block)
    this.#entries[at * 2] = u32(this.#heads, list)
    this.#entries[at * 2 + 1] = signature
    this.#heads[list] = at + 1
  }

  /** Calls `visit` with each word of a list whose kinds of letters are near. */
  collect(block: number, comparison: NearComparison, visit: (at: number) => void): void {
    const entries = this.#entries
    for (let held = u32(this.#heads, this.#listOf(block)); held !== 0; held = u32(entries, held * 2 - 2))
      if (comparison.mayBeNear(u32(entries, held * 2 - 1))) visit(held - 1)
  }

  #listOf(block: number): number {
    const folded = block ^ Math.imul(block / 0x1_00_00_00_00, 0x85_eb_ca_6b)
    return (Math.imul(folded, 0x9e_37_79_b1) >>> 7) & (this.#heads.length - 1)
  }
}

/** Compares words with one word, first by their kinds of letters. */
class NearComparison {
  readonly #steps: 1 | 2
  readonly #comparison: StepComparison
  readonly #signature: number

  constructor(word: Uint16Array, steps: 1 | 2) {
    this.#steps = steps
    this.#comparison = new StepComparison(word)
    this.#signature = signatureOf(word, word.length)
  }

  mayBeNear(signature: number): boolean {
    // A step adds and removes at most one kind of letter.
    let different = signature ^ this.#signature
    different &= different - 1
    different &= different - 1
    if (this.#steps === 2) {
      different &= different - 1
      different &= different - 1
    }
    return different === 0
  }

  isNear(letters: Uint16Array, from: number, to: number): boolean {
    return this.#comparison.isWithin(this.#steps, letters, from, to)
  }
}

/** Where the middle block of a word begins. */
function middleOf(length: number, block: number): number {
  return (length - block) >>> 1
}

/** Up to three letters as one number, different for different letters. */
function blockAt(letters: Uint16Array, from: number, length: number): number {
  let block = 0
  for (let at = from; at < from + length; at++) block = block * 0x1_00_00 + u16(letters, at)
  return block
}

function signatureOf(word: Uint16Array, length: number): number {
  let signature = 0
  for (let at = 0; at < length; at++) signature |= 1 << u16(word, at)
  return signature
}

function hashOf(word: Uint16Array, length: number): number {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ u16(word, at), 0x01_00_01_93)
  return hash ^ (hash >>> 15)
}
