import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/docket.js', import.meta.url))

export interface CommandOutcome {
  /** null when a signal ended it. */
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly outcome: Promise<CommandOutcome>
  /** Resolves when standard error has said it. */
  hasSaid(words: string): Promise<void>
}

/** `docket …` in a process of its own, with nothing in its environment but what is given. */
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
  // One that ends early does not read what it was sent.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const outcome = new Promise<CommandOutcome>((resolve) =>
    child.on('close', (code) => resolve({ code, output, errors })),
  )
  return {
    child,
    outcome,
    hasSaid: (words) =>
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
