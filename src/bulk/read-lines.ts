export interface TextLine {
  readonly line: number
  readonly text: string
}

/** Lines that are not empty, numbered from 1. A line longer than `maxUnits` is truncated and therefore not valid JSON. */
export async function* readLines(text: AsyncIterable<string>, maxUnits: number): AsyncGenerator<TextLine> {
  let held = ''
  let line = 1
  for await (const piece of text) {
    const parts = piece.split('\n')
    for (const [index, part] of parts.entries()) {
      // Do not collect text that is truncated anyway: a line may be larger than the memory.
      if (held.length <= maxUnits) held += part
      if (index === parts.length - 1) break
      if (held.trim() !== '') yield { line, text: held.slice(0, maxUnits + 1) }
      held = ''
      line += 1
    }
  }
  if (held.trim() !== '') yield { line, text: held.slice(0, maxUnits + 1) }
}
