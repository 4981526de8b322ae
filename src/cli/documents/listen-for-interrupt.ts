/** The person at the terminal wants to stop: what is under way ends, nothing new begins; a second time ends it at once. */
export interface Interrupt {
  isRequested(): boolean
  /** Signals do again what they usually do. */
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
