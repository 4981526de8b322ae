/** Joins a stream of parts of any length to chunks of about equal length; only the last one may be shorter. */
export async function* inPieces<R>(parts: AsyncGenerator<Buffer, R>, pieceBytes: number): AsyncGenerator<Buffer, R> {
  let gathered: Buffer[] = []
  let bytes = 0
  for (;;) {
    const { value, done } = await parts.next()
    if (!done) {
      gathered.push(value)
      bytes += value.length
    }
    if (bytes >= pieceBytes || (done && bytes > 0)) {
      yield gathered.length === 1 ? (gathered[0] as Buffer) : Buffer.concat(gathered, bytes)
      gathered = []
      bytes = 0
    }
    if (done) return value
  }
}
