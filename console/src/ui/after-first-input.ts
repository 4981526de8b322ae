/**
 * Runs what will be needed soon when the user begins to use the page and the browser has nothing else to do.
 *
 * @returns that it is no longer needed
 */
export function afterFirstInput(run: () => void): () => void {
  const ended = new AbortController()
  const begin = (): void => {
    ended.abort()
    if ('requestIdleCallback' in globalThis) requestIdleCallback(run)
    else setTimeout(run, 500)
  }
  for (const type of ['keydown', 'pointermove'] as const) addEventListener(type, begin, { signal: ended.signal })
  return () => ended.abort()
}
