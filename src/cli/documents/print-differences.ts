import { plainLine } from './show-progress.ts'

/** The result of one comparison. */
export interface Compared {
  /** Such as "files: 12 files, 34 kB". */
  readonly what: string
  readonly wrong: readonly string[]
  /** How many there are; `wrong` may contain only the first of them. */
  readonly count: number
  /** How to repair it. */
  readonly cure: string
}

/** More would only scroll away. */
const maxLines = 20

/** @returns whether there are no differences */
export function printCompared(compared: readonly Compared[], write: (line: string) => void): boolean {
  for (const { what, wrong, count, cure } of compared) {
    write(count === 0 ? `${what}: sound` : `${what}: ${count} ${count === 1 ? 'difference' : 'differences'}`)
    for (const line of wrong.slice(0, maxLines)) write(`  ${plainLine(line)}`)
    if (count > maxLines) write(`  … and ${count - maxLines} more`)
    if (count > 0) write(`  ${cure}`)
  }
  return compared.every(({ count }) => count === 0)
}

export function inUnits(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1_000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}
