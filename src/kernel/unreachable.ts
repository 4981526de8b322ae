/** The end of every `switch` on a union: code for a new kind does not compile until each place handles it. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`)
}
