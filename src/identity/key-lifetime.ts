const unitsMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
}

/** Default lifetime of a key. */
export const defaultKeyLife = '90d'
export const defaultKeyLifeMs = 90 * 86_400_000

/**
 * `90d` → milliseconds. Units: m minutes, h hours, d days, w weeks, y years of 365 days.
 *
 * @returns undefined for anything else, also for zero
 */
export function readLifetime(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,8})([mhdwy])$/.exec(text.trim()) ?? []
  const unitMs = unit === undefined ? undefined : unitsMs[unit]
  return unitMs === undefined ? undefined : Number(count) * unitMs
}
