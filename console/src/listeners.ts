interface Listeners {
  /** For `useSyncExternalStore`. @returns a function that ends it */
  readonly subscribe: (listener: () => void) => () => void
  readonly notify: () => void
}

/** Who follows state that is outside of components. */
export function createListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify: () => {
      for (const listener of listeners) listener()
    },
  }
}
