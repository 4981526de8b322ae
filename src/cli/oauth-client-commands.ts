import { type Command, InvalidArgumentError } from 'commander'
import { findUserId } from '../identity/manage-users.ts'
import { createOauthClient } from '../identity/oauth-clients.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { valueOrFailure } from './value-or-failure.ts'
import { withDatabase } from './with-database.ts'

interface CreateOptions {
  readonly name: string
  readonly user?: string
  readonly accessSeconds: number
  readonly refreshSeconds: number
}

/** `docket oauth-client …` */
export function registerOauthClientCommands(program: Command): void {
  program
    .command('oauth-client')
    .description('make OAuth clients')
    .command('create')
    .description('make an OAuth client; its secret is printed now and never again')
    .requiredOption('--name <text>', 'what it is for')
    .option('--user <user-name>', 'the user whom client credentials act as (default: they are not allowed)')
    .option('--access-seconds <n>', 'how long access tokens live', asSeconds, 1_800)
    .option('--refresh-seconds <n>', 'how long refresh tokens live', asSeconds, 8_640_000)
    .action(async (options: CreateOptions) => {
      const made = await withDatabase(async (database) => {
        const userId = options.user === undefined ? null : ((await findUserId(database, options.user)) ?? undefined)
        if (userId === undefined) throw new StartFailure(`There is no user ${options.user}.`)
        const { name, accessSeconds: accessTokenSeconds, refreshSeconds: refreshTokenSeconds } = options
        return valueOrFailure(
          await createOauthClient(database, { name, userId, accessTokenSeconds, refreshTokenSeconds }),
        )
      })
      console.log(`client_id=${made.clientId}`)
      console.log(`client_secret=${made.clientSecret}`)
    })
}

function asSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (seconds < 2) throw new InvalidArgumentError('a whole number of seconds from 2')
  return seconds
}
