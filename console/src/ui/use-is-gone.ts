import { type RefObject, useEffect, useRef } from 'react'

/** Whether the component is no longer in the page, for what ends later than it. */
export function useIsGone(): RefObject<boolean> {
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  return isGone
}
