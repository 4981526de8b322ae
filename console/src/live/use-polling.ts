import { useEffect, useRef, useState } from 'react'
import { listen } from './event-stream.ts'

const pollMs = 30_000

/**
 * Reads again every 30 s while no events arrive.
 *
 * @returns whether no events arrive
 */
export function usePolling(read: () => void): boolean {
  const [isOffline, setOffline] = useState(false)
  const latest = useRef(read)
  latest.current = read
  useEffect(
    () =>
      listen([], ({ kind }) => {
        if (kind === 'open' || kind === 'closed') setOffline(kind === 'closed')
      }),
    [],
  )
  useEffect(() => {
    if (!isOffline) return undefined
    const timer = setInterval(() => latest.current(), pollMs)
    return () => clearInterval(timer)
  }, [isOffline])
  return isOffline
}
