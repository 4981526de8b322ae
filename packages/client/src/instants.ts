/** Parses date and time in the server's form, `2026-11-22 15:15:16` in UTC. @throws RangeError for any other text */
export function asInstant(value: string): Date {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value))
    throw new RangeError(`"${value}" is no date and time of the server: expected a text such as 2026-11-22 15:15:16.`)
  return new Date(`${value.replace(' ', 'T')}Z`)
}

/** The reverse: the text of a date; fractions of a second are removed. @throws RangeError for an invalid date */
export const fromInstant = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ')
