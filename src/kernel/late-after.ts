/** Resolves to 'late' after the given time. @param ms null: never */
export function lateAfter(ms: number | null): { readonly promise: Promise<'late'>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<'late'>()
  const timer = ms === null ? undefined : setTimeout(() => resolve('late'), ms)
  return { promise, cancel: () => clearTimeout(timer) }
}
