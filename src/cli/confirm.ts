import { createInterface } from 'node:readline/promises'
import { StartFailure } from '../kernel/start-failure.ts'

interface Question {
  /** What typing yes does: `delete`. */
  readonly to: string
  /** What is reported after any other input: `Nothing was removed`. */
  readonly whenDeclined: string
}

/** @throws StartFailure unless somebody at a terminal types yes; without a terminal it is a usage error */
export async function confirm({ to, whenDeclined }: Question): Promise<void> {
  if (!process.stdin.isTTY)
    throw new StartFailure(`${whenDeclined}: add --yes to ${to} without a question.`, { exitCode: 2 })
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const typed = await terminal.question(`Type yes to ${to}: `)
  terminal.close()
  if (typed.trim().toLowerCase() !== 'yes') throw new StartFailure(`${whenDeclined}.`)
}
