/** Both ends belong to it. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * One range of bytes (RFC 9110, 14.1.2), as who goes on with a broken download asks for.
 *
 * @returns null: the whole; also for several ranges, and for one that lies behind the end, which may be answered so
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (size === 0 || (first === '' && last === '')) return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? null : { from: size - length, to: size - 1 }
  }
  const from = Number(first)
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return from < size && from <= to ? { from, to } : null
}
