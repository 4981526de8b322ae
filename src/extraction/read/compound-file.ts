/** A stream of an OLE compound file (MS-CFB). */
export interface CompoundStream {
  readonly name: string
  readonly bytes: Buffer
}

const signature = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const headerBytes = 512
const entryBytes = 128
/** The header lists the first sectors of the table; a file of up to 7 MB has no others. */
const sectorsInHeader = 109
const lastRegularSector = 0xff_ff_ff_fa
/** Smaller streams are stored in sectors of 64 bytes. */
const smallBytes = 4_096
const smallSectorBits = 6

export function isCompoundFile(bytes: Buffer): boolean {
  return bytes.length >= headerBytes && bytes.subarray(0, 8).equals(signature)
}

/**
 * The streams of the file, in any storage. Damaged ones are skipped.
 *
 * @param wanted names of streams to read
 */
export function readCompoundFile(bytes: Buffer, wanted: ReadonlySet<string>): readonly CompoundStream[] {
  if (!isCompoundFile(bytes)) return []
  const sectors = new Sectors(bytes)
  const entries = entriesIn(sectors.chain(bytes.readUInt32LE(48)))
  const root = entries.find(({ kind }) => kind === 'root')
  const small = new SmallSectors(sectors.chain(root?.first ?? lastRegularSector), sectors.chain(bytes.readUInt32LE(60)))
  return entries
    .filter(({ kind, name }) => kind === 'stream' && wanted.has(name))
    .map(({ name, first, size }) => ({
      name,
      bytes: (size < smallBytes ? small.chain(first) : sectors.chain(first)).subarray(0, size),
    }))
}

class Sectors {
  readonly #bytes: Buffer
  readonly #size: number
  readonly #next: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#size = 2 ** Math.min(Math.max(bytes.readUInt16LE(30), 9), 16)
    this.#next = Buffer.concat(this.#tableSectors().map((sector) => this.#at(sector)))
  }

  chain(first: number): Buffer {
    return readChain(first, this.#next, Math.ceil(this.#bytes.length / this.#size), (sector) => this.#at(sector))
  }

  /** Numbers of the sectors with the table: first those in the header, then linked lists of them. */
  #tableSectors(): readonly number[] {
    const found = numbersIn(this.#bytes.subarray(76, 76 + sectorsInHeader * 4))
    const max = this.#bytes.length / this.#size
    let list = this.#bytes.readUInt32LE(68)
    for (let lists = 0; list <= lastRegularSector && lists < max; lists++) {
      const numbers = numbersIn(this.#at(list))
      found.push(...numbers.slice(0, -1))
      list = numbers.at(-1) ?? lastRegularSector + 1
    }
    return found.filter((sector) => sector <= lastRegularSector).slice(0, Math.ceil(max))
  }

  /** The last sector of a file may be truncated. */
  #at(sector: number): Buffer {
    const from = (sector + 1) * this.#size
    return this.#bytes.subarray(from, from + this.#size)
  }
}

class SmallSectors {
  readonly #bytes: Buffer
  readonly #next: Buffer

  constructor(bytes: Buffer, next: Buffer) {
    this.#bytes = bytes
    this.#next = next
  }

  chain(first: number): Buffer {
    const max = (this.#bytes.length >> smallSectorBits) + 1
    return readChain(first, this.#next, max, (sector) =>
      this.#bytes.subarray(sector << smallSectorBits, (sector + 1) << smallSectorBits),
    )
  }
}

/** @param max sectors of the file: ends a chain that loops */
function readChain(first: number, next: Buffer, max: number, at: (sector: number) => Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let sector = first; sector <= lastRegularSector && pieces.length < max; ) {
    pieces.push(at(sector))
    sector = sector * 4 + 4 <= next.length ? next.readUInt32LE(sector * 4) : lastRegularSector + 1
  }
  return Buffer.concat(pieces)
}

function numbersIn(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readUInt32LE(at * 4))
}

interface DirectoryEntry {
  readonly name: string
  readonly kind: 'root' | 'stream' | 'other'
  readonly first: number
  readonly size: number
}

function entriesIn(directory: Buffer): readonly DirectoryEntry[] {
  return Array.from({ length: Math.floor(directory.length / entryBytes) }, (_, at) => {
    const entry = directory.subarray(at * entryBytes, (at + 1) * entryBytes)
    const nameBytes = Math.min(Math.max(entry.readUInt16LE(64) - 2, 0), 62)
    const kind = entry[66] === 5 ? 'root' : entry[66] === 2 ? 'stream' : 'other'
    return {
      name: entry.toString('utf16le', 0, nameBytes & ~1),
      kind,
      first: entry.readUInt32LE(116),
      size: entry.readUInt32LE(120),
    }
  })
}
