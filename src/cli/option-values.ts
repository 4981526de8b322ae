import { InvalidArgumentError } from 'commander'
import { readLifetime } from '../identity/key-lifetime.ts'

/** `a,b` → its names. */
export function asNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** `90d` → milliseconds. */
export function asLifetimeMs(text: string): number {
  const ms = readLifetime(text)
  if (ms === undefined) throw new InvalidArgumentError('Write a number and a unit: 30m, 12h, 90d, 8w, 1y.')
  return ms
}

/** A whole number of a range. */
export function asWhole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`)
  }
}
