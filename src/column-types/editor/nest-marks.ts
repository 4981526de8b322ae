/** The element of a mark. */
export interface MarkElement {
  /** The tag that begins it, with its attributes. */
  readonly open: string
  readonly close: string
  /** Elements with another number are other elements. */
  readonly apart: number
}

/**
 * The HTML of nodes beside one another. Those that have a mark in common are in one element of it: the mark that reaches over the most
 * of them is the outer one, and of equal ones the first of the node.
 *
 * @param texts HTML of each node without its marks
 * @param marks of each node
 */
export function nestMarks(texts: readonly string[], marks: readonly (readonly MarkElement[])[]): string {
  if (marks.every((all) => all.length === 0)) return texts.join('')
  const reaching = reachOf(marks)

  const nested = (from: number, to: number, around: ReadonlySet<string>): string => {
    const parts: string[] = []
    for (let at = from; at < to; ) {
      const [first, ...others] = [...(reaching[at] ?? [])].filter(([key]) => !around.has(key))
      if (first === undefined) {
        parts.push(texts[at] ?? '')
        at += 1
        continue
      }
      const [key, { mark, end }] = others.reduce(
        (widest, each) => (Math.min(each[1].end, to) > Math.min(widest[1].end, to) ? each : widest),
        first,
      )
      const last = Math.min(end, to)
      parts.push(mark.open, nested(at, last, new Set([...around, key])), mark.close)
      at = last
    }
    return parts.join('')
  }
  return nested(0, texts.length, new Set())
}

interface Reach {
  readonly mark: MarkElement
  /** The first node after it that is not in the same element. */
  readonly end: number
}

function reachOf(marks: readonly (readonly MarkElement[])[]): readonly ReadonlyMap<string, Reach>[] {
  const reaching: Map<string, Reach>[] = []
  for (let at = marks.length - 1; at >= 0; at -= 1) {
    const after = reaching.at(-1)
    const own = new Map<string, Reach>()
    const counts = new Map<string, number>()
    for (const mark of marks[at] ?? []) {
      const name = `${mark.apart} ${mark.open}`
      // The same element in itself is another one.
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      const key = `${count} ${name}`
      own.set(key, { mark, end: after?.get(key)?.end ?? at + 1 })
    }
    reaching.push(own)
  }
  return reaching.reverse()
}
