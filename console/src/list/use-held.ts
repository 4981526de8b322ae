import { useRef } from 'react'

export interface Held<T> {
  readonly displayed: T
  /** Something else is wanted and not read yet. */
  readonly isStale: boolean
  /** Nothing was read yet. */
  readonly isFirst: boolean
}

/**
 * Keeps what is displayed until what replaces it is read.
 *
 * @param key what was read once under a key is displayed at once
 * @returns `isNew`: something has to be read. `hold` is called once, in the same rendering.
 */
export function useHeld<T>(key: string) {
  const last = useRef<{ readonly key: string; readonly value: T } | null>(null)
  const hold = (wanted: T, isRead: boolean): Held<T> => {
    if (isRead || last.current?.key === key) last.current = { key, value: wanted }
    const displayed = last.current?.value ?? wanted
    return { displayed, isStale: displayed !== wanted, isFirst: last.current === null }
  }
  return { isNew: last.current?.key !== key, hold }
}
