import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Vectors that were written cannot be read any more. */
export class LostVectors extends Error {
  override readonly name = 'LostVectors'
}

/** Place for some vectors in the file. */
export interface FileBlock {
  /** Where it begins. */
  readonly position: number
}

/** The file system lets nobody remove a file: another attempt would leave another one. */
class KeptName extends Error {
  override readonly name = 'KeptName'
}

/**
 * A file of this thread only, for what does not fit into the memory that vectors may take. Its name is removed at once, so that nothing is
 * left of it, however the process ends, and nobody else writes into it. What is read often is in the page cache of the operating system.
 */
export class VectorFile {
  readonly #folder: string
  readonly #onFull: (error: unknown) => void
  #descriptor: number | null = null
  #end = 0
  #isFull = false
  #mayOpen = true
  /** By the bytes of a block. */
  readonly #free = new Map<number, FileBlock[]>()

  /**
   * @param folder made below an existing one if it does not exist, when the first block is needed
   * @param onFull called once when there is no place, or no file can be made
   */
  constructor(folder: string, onFull: (error: unknown) => void) {
    this.#folder = folder
    this.#onFull = onFull
  }

  /** @returns null: there is no place in the file system */
  allocate(bytes: number): FileBlock | null {
    const freed = this.#free.get(bytes)?.pop()
    if (freed !== undefined) return freed
    if (!this.#mayOpen) return null
    try {
      this.#descriptor ??= openNameless(this.#folder)
      // Reserves the place: writing a vector there later does not fail because others filled the file system.
      writeAll(this.#descriptor, new Uint8Array(bytes), this.#end)
    } catch (error) {
      if (!this.#isFull) this.#onFull(error)
      this.#isFull = true
      this.#mayOpen = !(error instanceof KeptName)
      return null
    }
    this.#isFull = false
    const block = { position: this.#end }
    this.#end += bytes
    return block
  }

  free(block: FileBlock, bytes: number): void {
    const free = this.#free.get(bytes)
    if (free === undefined) this.#free.set(bytes, [block])
    else free.push(block)
  }

  write(position: number, bytes: Int8Array): void {
    withoutLoss(() => writeAll(this.#opened(), bytes, position))
  }

  /** Fills `into`. */
  read(position: number, into: Int8Array): void {
    withoutLoss(() => {
      for (let at = 0; at < into.length; ) {
        const count = readSync(this.#opened(), into, at, into.length - at, position + at)
        if (count === 0) throw new Error('the file is shorter than what was written')
        at += count
      }
    })
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }

  #opened(): number {
    if (this.#descriptor === null) throw new Error('the file is not open')
    return this.#descriptor
  }
}

const namePattern = /^vectors-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function openNameless(folder: string): number {
  if (!existsSync(folder)) mkdirSync(folder)
  const path = join(folder, `vectors-${randomUUID()}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    rmSync(path, { force: true })
  } catch (cause) {
    closeSync(descriptor)
    throw new KeptName(`The file ${path} cannot be removed`, { cause })
  }
  clearLeftNames(folder)
  return descriptor
}

/** A process that was killed between the two calls left a name. That of one between them just now is removed a moment earlier. */
function clearLeftNames(folder: string): void {
  try {
    for (const name of readdirSync(folder)) if (namePattern.test(name)) rmSync(join(folder, name), { force: true })
  } catch {
    // They are empty, and perhaps of another user.
  }
}

function writeAll(descriptor: number, bytes: Uint8Array | Int8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, position + at)
}

function withoutLoss(work: () => void): void {
  try {
    work()
  } catch (cause) {
    throw new LostVectors('The file with rounded vectors cannot be used any more', { cause })
  }
}
