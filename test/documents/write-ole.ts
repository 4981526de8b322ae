const sectorBytes = 512
const smallSectorBytes = 64
const endOfChain = 0xff_ff_ff_fe
const tableSector = 0xff_ff_ff_fd
const nobody = 0xff_ff_ff_ff

/** An OLE compound file with these streams in its root: of fewer than 4,096 bytes in small sectors. */
export function compoundFile(streams: Readonly<Record<string, Buffer>>): Buffer {
  const table: number[] = []
  const sectors: Buffer[] = []
  const place = (bytes: Buffer): number => placeIn(table, sectors, bytes, sectorBytes)
  const smallTable: number[] = []
  const smallSectors: Buffer[] = []
  const entries = Object.entries(streams).map(([name, bytes]) => {
    const isSmall = bytes.length < 4_096
    const first = isSmall ? placeIn(smallTable, smallSectors, bytes, smallSectorBytes) : place(bytes)
    return directoryEntry(name, 2, { first, size: bytes.length })
  })
  const small = Buffer.concat(smallSectors)
  const root = directoryEntry('Root Entry', 5, { first: place(small), size: small.length })
  const directory = place(Buffer.concat([root, ...entries]))
  const smallTableAt = place(numbers(smallTable))
  const tableSectors = Math.ceil((table.length + 109) / (sectorBytes / 4))
  const tableAt = sectors.length
  for (let at = 0; at < tableSectors; at++) table.push(tableSector)
  const header = Buffer.alloc(sectorBytes, 0)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  header.writeUInt16LE(0x3e, 24)
  header.writeUInt16LE(3, 26)
  header.writeUInt16LE(0xff_fe, 28)
  header.writeUInt16LE(9, 30)
  header.writeUInt16LE(6, 32)
  header.writeUInt32LE(tableSectors, 44)
  header.writeUInt32LE(directory, 48)
  header.writeUInt32LE(4_096, 56)
  header.writeUInt32LE(smallTableAt, 60)
  header.writeUInt32LE(1, 64)
  header.writeUInt32LE(endOfChain, 68)
  for (let at = 0; at < 109; at++) header.writeUInt32LE(at < tableSectors ? tableAt + at : nobody, 76 + at * 4)
  const whole = numbers([...table, ...Array.from({ length: tableSectors * 128 - table.length }, () => nobody)])
  return Buffer.concat([header, ...sectors, whole])
}

/** The stream of a packaged file of any kind. */
export function packagedFile(name: string, bytes: Buffer): Buffer {
  const path = Buffer.from(`C:\\Temp\\${name}\0`, 'latin1')
  const [flags, pathSize, size] = [Buffer.from([2, 0]), Buffer.alloc(4), Buffer.alloc(4)]
  pathSize.writeUInt32LE(path.length)
  size.writeUInt32LE(bytes.length)
  const label = Buffer.from(`${name}\0`, 'latin1')
  const content = Buffer.concat([flags, label, path, Buffer.from([0, 0, 3, 0]), pathSize, path, size, bytes])
  const total = Buffer.alloc(4)
  total.writeUInt32LE(content.length)
  return Buffer.concat([total, content])
}

function placeIn(table: number[], sectors: Buffer[], bytes: Buffer, size: number): number {
  const first = sectors.length
  for (let from = 0; from < bytes.length; from += size) {
    const sector = Buffer.alloc(size, 0)
    bytes.copy(sector, 0, from, from + size)
    sectors.push(sector)
    table.push(from + size < bytes.length ? sectors.length : endOfChain)
  }
  return bytes.length === 0 ? endOfChain : first
}

function directoryEntry(
  name: string,
  kind: number,
  { first, size }: { readonly first: number; readonly size: number },
) {
  const entry = Buffer.alloc(128, 0)
  entry.write(name, 0, 'utf16le')
  entry.writeUInt16LE((name.length + 1) * 2, 64)
  entry[66] = kind
  for (const at of [68, 72, 76]) entry.writeUInt32LE(nobody, at)
  entry.writeUInt32LE(first, 116)
  entry.writeUInt32LE(size, 120)
  return entry
}

function numbers(list: readonly number[]): Buffer {
  const bytes = Buffer.alloc(list.length * 4)
  for (const [at, number] of list.entries()) bytes.writeUInt32LE(number, at * 4)
  return bytes
}
