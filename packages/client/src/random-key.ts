/** For `Idempotency-Key`. Browsers have no `crypto.randomUUID` on pages loaded over plain HTTP from another machine. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
