import { Command, type CommanderError } from 'commander'
import { readVersion } from '../config/version.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { describeFailure } from './describe-failure.ts'

/**
 * Runs `docket …`.
 *
 * @param start runs the server until it should stop; a parameter, because no module may import the top one
 */
export async function runCommandLine(argv: readonly string[], start: () => Promise<void>): Promise<void> {
  // Files that Docket writes are readable by its own account only. Child processes inherit this.
  process.umask(0o077)
  endQuietlyWithoutReader()
  const program = new Command('docket')
    .description(
      'Records and documents over HTTP, on PostgreSQL. Settings come from the environment: docs/settings.md.',
    )
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(docket --help lists the commands)')
    .exitOverride(exitOf)
  program.command('start').description('start the server (also when no command is given)').action(start)
  // A start does not wait for the modules of the other commands.
  if (!isStart(argv)) for (const register of (await import('./all-commands.ts')).allCommands) register(program)
  try {
    await program.parseAsync(argv.length > 2 ? argv : [...argv, 'start'])
    process.exit(process.exitCode ?? 0)
  } catch (error) {
    process.exit(reportFailure(error))
  }
}

const isStart = ([, , command = 'start']: readonly string[]): boolean => command === 'start'

/** 0 after help or version, 2 after a command that cannot be parsed. Commands inherit it. */
function exitOf({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : 2)
}

/** `docket … | head` closes the pipe early, which is not an error. A command with its own listener decides itself. */
function endQuietlyWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (process.stdout.listenerCount('error') > 1) return
    if (error.code !== 'EPIPE') throw error
    process.exit(process.exitCode ?? 0)
  })
}

/** @returns the exit code. An error that people can fix is one sentence; every other error is a bug and has its stack */
function reportFailure(error: unknown): number {
  const described = describeFailure(error)
  if (described === null) console.error('Docket failed, and this is a fault of Docket:', error)
  else console.error(described)
  return error instanceof StartFailure ? error.exitCode : 1
}
