/** The person at the terminal wants to stop: what is under way ends, nothing new begins; a second time ends it at once. */
export interface Interrupt {
  isAsked(): boolean
  /** Signals do again what they usually do. */
  ignore(): void
}

export const interruptedExitCode = 130

export function listenForInterrupt(): Interrupt {
  let isAsked = false
  const onSignal = (): void => {
    if (isAsked) process.exit(interruptedExitCode)
    isAsked = true
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    isAsked: () => isAsked,
    ignore() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
