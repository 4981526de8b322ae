/** A run of text of the PDF library, with its place in units of 1/72 inch from the bottom left. */
export interface PdfTextItem {
  readonly str: string
  /** Six numbers; the library declares them as any. */
  readonly transform: readonly number[]
  readonly width: number
  readonly hasEOL: boolean
}

/** Runs of a page with one writing direction, rotated to left-to-right. */
export interface DirectedRuns {
  readonly items: readonly PdfTextItem[]
  /** In another direction than the main text: a stamp in the margin. */
  readonly isAcross: boolean
}

/**
 * The runs of a page by writing direction, the one with the most characters first. Copies of runs that imitate bold text or a
 * shadow are dropped.
 */
export function runsByDirection(items: readonly PdfTextItem[]): readonly DirectedRuns[] {
  const groups = new Map<number, { units: number; items: PdfTextItem[] }>()
  let last = 0
  for (const item of withoutRepeats(items)) {
    const turns = item.str.trim() === '' ? last : quarterTurns(item.transform)
    last = turns
    const group = groups.get(turns) ?? { units: 0, items: [] }
    group.units += item.str.trim().length
    group.items.push(turns === 0 ? item : turned(item, turns))
    groups.set(turns, group)
  }
  return [...groups.values()]
    .sort((one, other) => other.units - one.units)
    .map((group, index) => ({ items: group.items, isAcross: index > 0 }))
}

/** 0 to 3, counterclockwise. */
function quarterTurns([a = 1, b = 0]: readonly number[]): number {
  return (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4
}

function turned(item: PdfTextItem, turns: number): PdfTextItem {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform
  const [newX, newY] = turns === 1 ? [y, -x] : turns === 2 ? [-x, -y] : [-y, x]
  const size = Math.hypot(a, b)
  return { ...item, transform: [size, 0, 0, Math.hypot(c, d), newX, newY] }
}

/** Maximum distance of copies, in character sizes: at larger distances, repeated characters are part of the text. */
const copyShift = 0.12

function withoutRepeats(items: readonly PdfTextItem[]): readonly PdfTextItem[] {
  const seen = new Map<string, { readonly x: number; readonly y: number }[]>()
  return items.filter((item) => {
    if (item.str.trim() === '') return true
    const [a = 0, b = 0, , , x = 0, y = 0] = item.transform
    const near = Math.max(Math.hypot(a, b) * copyShift, 0.1)
    const places = seen.get(item.str) ?? []
    if (places.some((place) => Math.abs(place.x - x) <= near && Math.abs(place.y - y) <= near)) return false
    if (places.length < maxPlaces) places.push({ x, y })
    seen.set(item.str, places)
    return true
  })
}

/** A page may contain one character a million times. */
const maxPlaces = 500

/** `bboolldd`: each character was drawn twice, side by side. */
export function undoubled(text: string): string {
  return text.replace(/\S{6,}/gu, (word) => (isDoubled(word) ? word.replace(/(.)\1/gsu, '$1') : word))
}

/** A number or an identifier (`FFEEDD`, `AA11BB`) is what it looks like. */
function isDoubled(word: string): boolean {
  if (/\p{N}/u.test(word) || /^[a-f]+$/i.test(word)) return false
  return /^(?:(.)\1)+$/su.test(word) && new Set(word).size > 2 && /\p{L}/u.test(word)
}
