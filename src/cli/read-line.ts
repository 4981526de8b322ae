import { createInterface } from 'node:readline'
import { StartFailure } from '../kernel/start-failure.ts'

/** The first line of standard input. Passwords are read this way: everybody on the machine can read arguments. */
export async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  throw new StartFailure('Standard input is empty: a line with the password was expected there.', { exitCode: 2 })
}
