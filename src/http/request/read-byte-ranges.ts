/** Both ends are inclusive. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** More ranges than a reader of a file requests at once. */
const maxRanges = 50
const spec = /^(?:(\d+)-(\d*)|-(\d+))$/

/**
 * The requested part of a file (RFC 9110, 14.1.2). Ranges that overlap or touch are one range. For several separate ranges the response is
 * the whole file, which the standard allows: hardly any client reads a multipart response.
 *
 * @param header of a GET; ranges have no meaning with other methods
 * @returns `unsatisfiable` if all requested ranges are beyond the end; `whole` also if the header is invalid, as the standard requires
 */
export function readByteRanges(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, list] = /^\s*bytes\s*=(.*)$/i.exec(header ?? '') ?? []
  if (list === undefined) return 'whole'
  const specs = list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  if (specs.length === 0 || specs.length > maxRanges) return 'whole'
  const found: ByteRange[] = []
  for (const text of specs) {
    const range = readRange(text, size)
    if (range === 'malformed') return 'whole'
    if (range !== null) found.push(range)
  }
  const [first, ...others] = joined(found)
  if (first === undefined) return 'unsatisfiable'
  // A Content-Range cannot name a part of an empty file.
  return others.length > 0 || size === 0 ? 'whole' : first
}

/** @returns null: it is beyond the end */
function readRange(text: string, size: number): ByteRange | null | 'malformed' {
  const [, first, last, suffix] = spec.exec(text) ?? []
  if (suffix !== undefined) {
    const length = Number(suffix)
    return length === 0 ? null : { from: Math.max(0, size - length), to: size - 1 }
  }
  if (first === undefined || last === undefined) return 'malformed'
  const from = Number(first)
  const to = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (to < from) return 'malformed'
  return from < size ? { from, to: Math.min(to, size - 1) } : null
}

function joined(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const apart: ByteRange[] = []
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const before = apart.at(-1)
    if (before === undefined || range.from > before.to + 1) apart.push(range)
    else apart[apart.length - 1] = { from: before.from, to: Math.max(before.to, range.to) }
  }
  return apart
}
