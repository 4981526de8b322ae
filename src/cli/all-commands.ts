import type { Command } from 'commander'
import { registerAclCommands } from './acl-commands.ts'
import { registerAdoptCommand } from './adopt-command.ts'
import { registerBackupCommands } from './backup-commands.ts'
import { registerDemoCommands } from './demo-commands.ts'
import { registerDoctorCommand } from './doctor.ts'
import { registerDocumentCommands } from './document-commands.ts'
import { registerOauthClientCommands } from './oauth-client-commands.ts'
import { registerRecordCommands } from './record-commands.ts'
import { registerTokenCommands } from './token-commands.ts'
import { registerUserCommands } from './user-commands.ts'

/** Adds its commands to the program; one file of this folder each. */
export type RegisterCommand = (program: Command) => void

/** In the order in which `docket --help` lists them. */
export const allCommands: readonly RegisterCommand[] = [
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
