export interface TextLine {
  readonly line: number
  readonly text: string
}

/** Lines that are not empty, numbered from 1; one that is longer than `mostUnits` comes cut, and is no JSON then. */
export async function* readLines(text: AsyncIterable<string>, mostUnits: number): AsyncGenerator<TextLine> {
  let held = ''
  let line = 1
  for await (const piece of text) {
    const parts = `${held}${piece}`.split('\n')
    held = (parts.pop() ?? '').slice(0, mostUnits + 1)
    for (const part of parts) {
      if (part.trim() !== '') yield { line, text: part.slice(0, mostUnits + 1) }
      line += 1
    }
  }
  if (held.trim() !== '') yield { line, text: held }
}
