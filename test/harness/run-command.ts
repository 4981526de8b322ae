import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/docket.js', import.meta.url))

export interface CommandOutcome {
  /** null: a signal ended the process. */
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly outcome: Promise<CommandOutcome>
  /** Resolves when standard error contains this text. */
  hasPrinted(words: string): Promise<void>
}

/** `docket …` in a separate process, with only the given variables in its environment. */
export function startCommand(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): RunningCommand {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const listeners = new Set<() => void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
    for (const listen of listeners) listen()
  })
  // A command that ends early does not read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const outcome = new Promise<CommandOutcome>((resolve) =>
    child.on('close', (code) => resolve({ code, output, errors })),
  )
  return {
    child,
    outcome,
    hasPrinted: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (errors.includes(words)) resolve()
        }
        listeners.add(look)
        look()
        outcome.then(() => reject(new Error(`it ended without saying "${words}": ${errors}`)), reject)
      }),
  }
}

export const runCommand = (...command: Parameters<typeof startCommand>): Promise<CommandOutcome> =>
  startCommand(...command).outcome
