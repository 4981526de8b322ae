import { firstVector, maxDimensions, openVectorMemory, type VectorMemory } from './dot-products.ts'
import { type VectorBlock, VectorBlocks } from './vector-blocks.ts'
import { type FileBlock, VectorFile } from './vector-file.ts'

/** Vectors of a block: a small collection takes one. */
export const vectorsOfBlock = 64

/** Where rounded vectors are that do not fit into memory. */
export interface VectorsInFile {
  readonly folder: string
  /** Bytes of memory that rounded vectors take first. */
  readonly memoryBytes: number
}

/** In memory, or in the file. */
export type RoundedBlock = VectorBlock | FileBlock

/** Four blocks of the longest vectors. */
const windowBytes = vectorsOfBlock * maxDimensions * 4
const pageBytes = 65_536

/** Blocks of rounded vectors for all collections: in memory up to a limit, in a file above it. */
export class RoundedBlocks {
  readonly #memory = new VectorBlocks(vectorsOfBlock)
  readonly #file: VectorFile | null
  readonly #window: FileWindow | null
  /** Bytes of memory that may still be taken. */
  #left: number

  /** @param inFile null: all are in memory */
  constructor(inFile: VectorsInFile | null, onFull: (error: unknown) => void) {
    this.#left = inFile?.memoryBytes ?? Number.POSITIVE_INFINITY
    this.#file = inFile && new VectorFile(inFile.folder, onFull)
    this.#window = this.#file && new FileWindow(this.#file)
  }

  /** Those with vectors to compare. */
  get regions(): readonly VectorMemory[] {
    return [...this.#memory.regions, ...(this.#window === null ? [] : [this.#window.region])]
  }

  /** Through which blocks of the file are read. */
  get window(): FileWindow {
    if (this.#window === null) throw new Error('there is no file')
    return this.#window
  }

  /** @param stride bytes of a vector */
  allocate(stride: number): RoundedBlock {
    const bytes = stride * vectorsOfBlock
    if (this.#memory.hasFree(stride)) return this.#memory.allocate(stride)
    // If the file system is full, all the same in memory: then at least nothing else fails.
    const inFile = bytes > this.#left ? this.#file?.allocate(bytes) : null
    if (inFile != null) return inFile
    this.#left -= bytes
    return this.#memory.allocate(stride)
  }

  free(block: RoundedBlock, stride: number): void {
    if ('region' in block) this.#memory.free(block, stride)
    else this.#file?.free(block, stride * vectorsOfBlock)
  }

  close(): void {
    this.#file?.close()
  }
}

/** Memory into which vectors of the file are read, to compare them. */
export class FileWindow {
  readonly region: VectorMemory
  readonly #file: VectorFile
  readonly #bytes: Int8Array

  constructor(file: VectorFile) {
    const pages = (firstVector + windowBytes) / pageBytes
    this.region = openVectorMemory(pages)
    // It takes no memory before it is written.
    this.region.memory.grow(pages - firstVector / pageBytes)
    this.#bytes = new Int8Array(this.region.memory.buffer, firstVector, windowBytes)
    this.#file = file
  }

  /** How many vectors it has place for. */
  capacityFor(stride: number): number {
    return Math.floor(windowBytes / stride)
  }

  /**
   * @param at where in the window
   * @returns where in the memory of the region
   */
  load(position: number, at: number, bytes: number): number {
    this.#file.read(position, this.#bytes.subarray(at, at + bytes))
    return firstVector + at
  }

  read(position: number, into: Int8Array): void {
    this.#file.read(position, into)
  }

  write(position: number, bytes: Int8Array): void {
    this.#file.write(position, bytes)
  }
}
