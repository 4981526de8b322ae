import { useCallback, useMemo, useSyncExternalStore } from 'react'

/** Whether a media query matches the screen. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query])
  const subscribe = useCallback(
    (listener: () => void) => {
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [media],
  )
  const matches = (): boolean => media.matches
  return useSyncExternalStore(subscribe, matches, matches)
}
