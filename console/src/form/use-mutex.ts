import { useRef, useState } from 'react'

/** Runs the writes of a form one after the other: each begins with what the one before has written. */
export function useMutex() {
  const [isLocked, setLocked] = useState(false)
  /** Unlike the state, it is known at once. */
  const running = useRef<Promise<unknown> | null>(null)
  const runExclusive = async <T>(work: () => Promise<T>): Promise<T> => {
    while (running.current !== null) await running.current
    const result = work()
    running.current = result.catch(() => undefined)
    setLocked(true)
    try {
      return await result
    } finally {
      running.current = null
      setLocked(false)
    }
  }
  return { isLocked, isRunning: (): boolean => running.current !== null, runExclusive }
}
