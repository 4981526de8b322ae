/** Runs what takes long when the browser has drawn the answer to a key or click. */
export const afterPaint = (run: () => void): void => {
  requestAnimationFrame(() => setTimeout(run))
}
