export interface TextLine {
  readonly line: number
  readonly text: string
}

/** Lines that are not empty, numbered from 1; one that is longer than `mostUnits` comes cut, and is no JSON then. */
export async function* readLines(text: AsyncIterable<string>, maxUnits: number): AsyncGenerator<TextLine> {
  let held = ''
  let line = 1
  for await (const piece of text) {
    const parts = piece.split('\n')
    for (const [index, part] of parts.entries()) {
      // What is cut off anyway is not gathered: a line may be longer than the memory.
      if (held.length <= maxUnits) held += part
      if (index === parts.length - 1) break
      if (held.trim() !== '') yield { line, text: held.slice(0, maxUnits + 1) }
      held = ''
      line += 1
    }
  }
  if (held.trim() !== '') yield { line, text: held.slice(0, maxUnits + 1) }
}
