import { whenIdle } from './when-idle.ts'

/**
 * Runs after the first key or movement of the pointer, when the browser has nothing else to do: what the user will need soon.
 *
 * @returns a function that cancels it, until there is such an event
 */
export function afterFirstInput(run: () => void): () => void {
  const ended = new AbortController()
  const begin = (): void => {
    ended.abort()
    whenIdle(run)
  }
  for (const type of ['keydown', 'pointermove'] as const) addEventListener(type, begin, { signal: ended.signal })
  return () => ended.abort()
}
