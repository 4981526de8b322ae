/** A part of two texts: in both, in the old one only, or in the new one only. */
export interface DiffPart {
  readonly kind: 'same' | 'old' | 'new'
  readonly text: string
}

/** Above this number of compared pairs of words, what lies between the first and the last difference is replaced as a whole. */
const maxPairs = 1_000_000

/** Differences of two texts by words. Parts that are not new make the old text, parts that are not old the new one. */
export function wordDiff(before: string, after: string): readonly DiffPart[] {
  const old = wordsOf(before)
  const now = wordsOf(after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start += 1
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1
  return joined([
    { kind: 'same', text: old.slice(0, start).join('') },
    ...middleOf(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ])
}

/** Words and the space between them. */
const wordsOf = (text: string): readonly string[] => text.match(/\s+|\S+/g) ?? []

function middleOf(old: readonly string[], now: readonly string[]): readonly DiffPart[] {
  if (old.length * now.length > maxPairs)
    return [
      { kind: 'old', text: old.join('') },
      { kind: 'new', text: now.join('') },
    ]
  const lengths = commonLengths(old, now)
  const parts: DiffPart[] = []
  let [at, to] = [0, 0]
  while (at < old.length || to < now.length) {
    const [word = '', next = ''] = [old[at], now[to]]
    if (at < old.length && to < now.length && word === next) {
      parts.push({ kind: 'same', text: word })
      at += 1
      to += 1
    } else if (to === now.length || (at < old.length && lengths(at + 1, to) >= lengths(at, to + 1))) {
      parts.push({ kind: 'old', text: word })
      at += 1
    } else {
      parts.push({ kind: 'new', text: next })
      to += 1
    }
  }
  return parts
}

/** For each two places, how many words the rests of the texts have in common, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): (at: number, to: number) => number {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const lengthAt = (at: number, to: number): number => lengths[at * width + to] ?? 0
  for (let at = old.length - 1; at >= 0; at -= 1)
    for (let to = now.length - 1; to >= 0; to -= 1)
      lengths[at * width + to] =
        old[at] === now[to] ? lengthAt(at + 1, to + 1) + 1 : Math.max(lengthAt(at + 1, to), lengthAt(at, to + 1))
  return lengthAt
}

/** Without empty parts, and without two of a kind beside each other. */
function joined(parts: readonly DiffPart[]): readonly DiffPart[] {
  const found: DiffPart[] = []
  for (const part of parts) {
    const last = found.at(-1)
    if (last?.kind === part.kind) found[found.length - 1] = { kind: part.kind, text: last.text + part.text }
    else if (part.text !== '') found.push(part)
  }
  return found
}
