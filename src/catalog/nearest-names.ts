import { distance } from 'fastest-levenshtein'

/** Longer than any name of the dictionary; the cost of a comparison grows with both lengths. */
const MAX_UNITS = 80
const MAX_NAMES = 3

/**
 * Names that may have been meant: at most one character in four differs, or one is a part of the other; nearest first.
 *
 * @param names only those that the caller may know
 */
export function nearestNames(wanted: string, names: Iterable<string>): readonly string[] {
  const sought = plain(wanted.slice(0, MAX_UNITS))
  if (sought.length < 2) return [...names].filter((name) => plain(name) === sought && sought !== '')
  const near: { readonly name: string; readonly steps: number }[] = []
  for (const name of names) {
    const known = plain(name)
    const steps = distance(sought, known)
    const isPart = steps <= known.length && (known.includes(sought) || sought.includes(known))
    if (isPart || steps <= Math.ceil(Math.max(sought.length, known.length) / 4)) near.push({ name, steps })
  }
  const fewest = Math.min(...near.map(({ steps }) => steps))
  return near
    .filter(({ steps }) => steps <= fewest + 2)
    .toSorted((one, other) => one.steps - other.steps || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')
