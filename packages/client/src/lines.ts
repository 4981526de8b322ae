/** Lines of a UTF-8 stream, which end with LF or CRLF. The last line may lack its end. */
export async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = `${rest}${read.value}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield withoutReturn(line)
    }
    if (rest !== '') yield withoutReturn(rest)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)
