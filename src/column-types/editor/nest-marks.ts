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

  const around = new Set<string>()
  const nested = (from: number, to: number): string => {
    const parts: string[] = []
    for (let at = from; at < to; ) {
      const open = [...(reaching[at] ?? [])].filter(([key]) => !around.has(key))
      const last = Math.min(
        to,
        open.reduce((widest, [, { end }]) => Math.max(widest, end), at),
      )
      // All at once: a document may have hundreds of marks on each node.
      const outer = open.filter(([, { end }]) => end >= last)
      for (const [key] of outer) around.add(key)
      const inner = last === at ? (texts[at] ?? '') : nested(at, last)
      parts.push(...outer.map(([, { mark }]) => mark.open), inner, ...outer.map(([, { mark }]) => mark.close).reverse())
      for (const [key] of outer) around.delete(key)
      at = Math.max(last, at + 1)
    }
    return parts.join('')
  }
  return nested(0, texts.length)
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
