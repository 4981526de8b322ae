/** A header value of safe length for any input: names and their list are truncated. */
export function listNames(names: readonly string[]): string {
  return names
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.slice(0, 40).toWellFormed()))
    .join(', ')
}
