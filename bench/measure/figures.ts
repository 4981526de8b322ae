/** A figure measured in several rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), min: Math.min(...values), max: Math.max(...values) }
}

/** The smallest value that this share of the values does not exceed; 0 without values. For a median, the middle of two. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort()
  if (part === 0.5 && sorted.length > 0 && sorted.length % 2 === 0) {
    return ((sorted[sorted.length / 2 - 1] ?? 0) + (sorted[sorted.length / 2] ?? 0)) / 2
  }
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))] ?? 0
}

/** Three significant digits: such measurements are not more exact. */
export function rounded(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(3))
}

export function printSpread({ median, min, max }: Spread): string {
  return `${rounded(median)} (${rounded(min)}–${rounded(max)})`
}
