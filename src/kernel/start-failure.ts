/**
 * Docket cannot start (or a command cannot run), and the person at the terminal can fix it. The message is one sentence about what is wrong
 * and how to fix it; it is printed without a stack trace.
 */
export class StartFailure extends Error {
  /** Exit code of the process: 1 for the machine, 2 for a wrong setting or argument. */
  readonly exitCode: 1 | 2

  constructor(sentence: string, options?: { readonly exitCode?: 1 | 2; readonly cause?: unknown }) {
    super(sentence, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'StartFailure'
    this.exitCode = options?.exitCode ?? 1
  }
}
