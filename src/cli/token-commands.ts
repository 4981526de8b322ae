import { type Command, Option } from 'commander'
import type { Database } from '../database/database.ts'
import { administratorId } from '../identity/administrator.ts'
import { type ApiKey, findApiKeys, makeApiKey, revokeApiKey } from '../identity/api-keys.ts'
import { defaultKeyLife, defaultKeyLifeMs } from '../identity/key-lifetime.ts'
import { findUserId } from '../identity/manage-users.ts'
import { systemClock } from '../kernel/clock.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { asLifetimeMs, asNames } from './option-values.ts'
import { valueOrFailure } from './value-or-failure.ts'
import { withDatabase } from './with-database.ts'

/** `docket token …` */
export function registerTokenCommands(program: Command): void {
  const token = program.command('token').description('make, list and revoke API keys')
  registerCreate(token)
  registerList(token)
  registerRevoke(token)
}

interface CreateOptions {
  readonly user: string
  readonly name: string
  readonly expires: number
  readonly roles?: readonly string[]
}

/** Only the key is on standard output, so that `KEY=$(docket token create …)` contains nothing else. */
function registerCreate(token: Command): void {
  token
    .command('create')
    .description('make an API key; it is printed now and never again')
    .requiredOption('--user <user-name>', 'whose key it is')
    .requiredOption('--name <text>', 'what it is for')
    .addOption(
      new Option('--expires <time>', 'how long it lives: 30m, 12h, 90d, 8w, 1y')
        .argParser(asLifetimeMs)
        .default(defaultKeyLifeMs, defaultKeyLife),
    )
    .option('--roles <names>', 'only these roles of the user, with commas between them (default: all)', asNames)
    .action(async ({ user, name, expires, roles }: CreateOptions) => {
      const made = await withDatabase(async (database) => {
        const wanted = {
          userId: await userNamed(database, user),
          name,
          expiresAtMs: systemClock.nowMs() + expires,
          roles: roles ?? null,
        }
        return valueOrFailure(await makeApiKey({ database, clock: systemClock }, wanted, administratorId))
      })
      console.error(`API key ${made.id} of ${made.userName}, valid until ${made.expiresAt} UTC:`)
      console.log(made.key)
    })
}

function registerList(token: Command): void {
  token
    .command('list')
    .description('list API keys, newest first')
    .option('--user <user-name>', 'of this user only')
    .option('--json', 'as JSON, for programs')
    .action(async ({ user, json }: { readonly user?: string; readonly json?: true }) => {
      const keys = await withDatabase(async (database) =>
        findApiKeys(
          { database, clock: systemClock },
          user === undefined ? {} : { userId: await userNamed(database, user) },
        ),
      )
      console.log(json ? JSON.stringify(keys, undefined, 2) : keys.map(lineOf).join('\n') || 'There are no API keys.')
    })
}

function registerRevoke(token: Command): void {
  token
    .command('revoke')
    .description('end an API key at once')
    .argument('<id>', 'as token list shows it')
    .action(async (id: string) => {
      await withDatabase(async (database) =>
        valueOrFailure(await revokeApiKey({ database, clock: systemClock }, id, null)),
      )
      console.log(`The API key ${id} has ended.`)
    })
}

async function userNamed(database: Database, userName: string): Promise<string> {
  const userId = await findUserId(database, userName)
  if (userId === undefined) throw new StartFailure(`There is no user ${userName}.`)
  return userId
}

function lineOf(key: ApiKey): string {
  const used = key.lastUsedAt === null ? 'never used' : `last used ${key.lastUsedAt}`
  const roles = key.roles === null ? 'all roles' : key.roles.join(', ')
  return `${key.id}  ${key.state}  ${key.userName}: ${key.name} (${roles}), until ${key.expiresAt}, ${used}`
}
