/** The end of every `switch` on a union: a new kind then does not compile until each place was visited. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`)
}
