/** The first interrupt lets running work end and starts nothing new; the second one ends the process at once. */
export interface Interrupt {
  isRequested(): boolean
  /** Restores the default handling of signals. */
  ignore(): void
}

export const interruptedExitCode = 130

export function listenForInterrupt(): Interrupt {
  let isRequested = false
  const onSignal = (): void => {
    if (isRequested) process.exit(interruptedExitCode)
    isRequested = true
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    isRequested: () => isRequested,
    ignore() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
