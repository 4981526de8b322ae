import { useEffect, useSyncExternalStore } from 'react'
import { usePreference } from '../preferences.ts'
import { currentLook, type Look, lookOf, onLook, setLook } from './theme.ts'

export const useLook = (): Look => useSyncExternalStore(onLook, currentLook)

/** Of a row of a list, in CSS pixels. */
export const useRowHeight = (): number => (useLook().density === 'compact' ? 34 : 42)

/** The look as the server keeps it for the user, in every browser. */
export function useStoredLook(): { readonly look: Look; readonly change: (change: Partial<Look>) => void } {
  const look = useLook()
  const { value, isRead, set } = usePreference<Look>('look')
  useEffect(() => {
    if (isRead) setLook(lookOf(value))
  }, [isRead, value])
  const change = (part: Partial<Look>): void => {
    const next = { ...look, ...part }
    setLook(next)
    void set(next)
  }
  return { look, change }
}
