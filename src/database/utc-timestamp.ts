/** For a column of type `timestamp`, which is UTC in this database. */
export function utcTimestamp(now: Date): string {
  return now.toISOString().slice(0, -1)
}
