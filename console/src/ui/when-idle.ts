/** Runs when the browser has nothing else to do. Not every browser can say so: in others, after what runs now. */
export const whenIdle = (run: () => void): void => {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run)
  else setTimeout(run)
}
