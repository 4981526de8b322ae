import { useEffect, useSyncExternalStore } from 'react'
import { reportUnstored, usePreference } from '../preferences.ts'
import { currentLook, type Look, lookOf, onLook, setLook } from './theme.ts'

export const useLook = (): Look => useSyncExternalStore(onLook, currentLook, currentLook)

/** Height of a list row in CSS pixels. */
export const useRowHeight = (): number => (useLook().density === 'compact' ? 34 : 42)

interface StoredLook {
  readonly look: Look
  /** Whether it is the stored one. */
  readonly isRead: boolean
  readonly change: (change: Partial<Look>) => void
}

/** The look that the server stores for the user, for all browsers. */
export function useStoredLook(): StoredLook {
  const look = useLook()
  const { value, isRead, set } = usePreference<Look>('look')
  useEffect(() => {
    if (isRead) setLook(lookOf(value))
  }, [isRead, value])
  const change = (part: Partial<Look>): void => {
    const next = { ...look, ...part }
    setLook(next)
    set(next).catch(reportUnstored)
  }
  return { look, isRead, change }
}
