import { Command, type CommanderError } from 'commander'
import { readVersion } from '../config/version.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { registerAclCommands } from './acl-commands.ts'
import { registerAdoptCommand } from './adopt-command.ts'
import { registerBackupCommands } from './backup-commands.ts'
import { registerDemoCommands } from './demo-commands.ts'
import { describeFailure } from './describe-failure.ts'
import { registerDoctorCommand } from './doctor.ts'
import { registerDocumentCommands } from './document-commands.ts'
import { registerOauthClientCommands } from './oauth-client-commands.ts'
import { registerRecordCommands } from './record-commands.ts'
import { registerTokenCommands } from './token-commands.ts'
import { registerUserCommands } from './user-commands.ts'

/** Adds its commands to the program; one file of this folder each. */
export type RegisterCommand = (program: Command) => void

/** In the order in which `docket --help` lists them. */
const commands: readonly RegisterCommand[] = [
  registerUserCommands,
  registerTokenCommands,
  registerOauthClientCommands,
  registerAclCommands,
  registerRecordCommands,
  registerAdoptCommand,
  registerDocumentCommands,
  registerDemoCommands,
  registerBackupCommands,
  registerDoctorCommand,
]

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
  for (const register of commands) register(program)
  try {
    await program.parseAsync(argv.length > 2 ? argv : [...argv, 'start'])
    process.exit(process.exitCode ?? 0)
  } catch (error) {
    process.exit(reportFailure(error))
  }
}

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
