import { createInterface } from 'node:readline'
import { StartFailure } from '../kernel/start-failure.ts'

/** The first line of standard input. A password comes this way: arguments can be read by everybody on the machine. */
export async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  throw new StartFailure('Standard input is empty: a line with the password was expected there.', { exitCode: 2 })
}
