import { type Command, Option } from 'commander'
import type { Database } from '../database/database.ts'
import { endAllSessions } from '../identity/log-in.ts'
import {
  changeRoles,
  countValidKeys,
  createUser,
  findUserId,
  type ListedUser,
  listUsers,
  setUserActive,
  setUserPassword,
  unlockUser,
} from '../identity/manage-users.ts'
import { makePassword } from '../identity/passwords.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, succeed } from '../kernel/result.ts'
import { confirm } from './confirm.ts'
import { asNames } from './option-values.ts'
import { readLine } from './read-line.ts'
import { valueOrFailure } from './value-or-failure.ts'
import { withDatabase } from './with-database.ts'

/** `docket user …` */
export function registerUserCommands(program: Command): void {
  const user = program.command('user').description('create and list users, and change how they sign in')
  registerCreate(user)
  registerList(user)
  registerPassword(user)
  registerActive(user)
  registerUnlock(user)
  registerRoles(user)
}

const passwordFromInput = () =>
  new Option('--password-stdin', 'take the password from the first line of standard input (default: make one)')

interface CreateOptions {
  readonly displayName?: string
  readonly email?: string
  readonly language: 'en' | 'ru'
  readonly timeZone: string
  readonly roles: readonly string[]
  readonly passwordStdin?: true
  readonly withoutPassword?: true
}

function registerCreate(user: Command): void {
  user
    .command('create')
    .description('make a user')
    .argument('<user-name>')
    .option('--display-name <text>', 'as others see the user (default: the user name)')
    .option('--email <address>')
    .addOption(new Option('--language <language>').choices(['en', 'ru']).default('en'))
    .option('--time-zone <name>', 'such as Europe/Moscow', 'UTC')
    .option('--roles <names>', 'with commas between them', asNames, [])
    .addOption(passwordFromInput())
    .addOption(new Option('--without-password', 'for a program that has API keys').conflicts('passwordStdin'))
    .action(async (userName: string, options: CreateOptions) => {
      const password = options.withoutPassword ? null : await choosePassword(options)
      await withDatabase(async (database) => {
        const { displayName = null, email = null, language, timeZone, roles } = options
        const wanted = { userName, displayName, email, language, timeZone, roles, password }
        const id = valueOrFailure(await createUser(database, wanted))
        console.log(`Made the user ${userName} (sys_id ${id}).`)
      })
      printPassword(password, options)
    })
}

function registerList(user: Command): void {
  user
    .command('list')
    .description('list users by name, with the roles given to them')
    .option('--json', 'as JSON, for programs')
    .action(async ({ json }: { readonly json?: true }) => {
      const users = await withDatabase(listUsers)
      console.log(json ? JSON.stringify(users, undefined, 2) : users.map(lineOf).join('\n'))
    })
}

function lineOf({ id, userName, displayName, active, hasPassword, roles }: ListedUser): string {
  const name = displayName === null || displayName === userName ? '' : ` (${displayName})`
  const notes = [...(active ? [] : ['disabled']), ...(hasPassword ? [] : ['no password'])]
  return `${id}  ${userName}${name}: ${roles.join(', ') || 'no roles'}${notes.map((note) => `, ${note}`).join('')}`
}

function registerPassword(user: Command): void {
  user
    .command('password')
    .description('set a new password; ends all sessions and API keys of the user')
    .argument('<user-name>')
    .option('--yes', 'end sessions and API keys without a question')
    .addOption(passwordFromInput())
    .action(async (userName: string, options: PasswordOption & { readonly yes?: true }) => {
      const password = await withDatabase(async (database) => {
        if (options.yes !== true) await confirmEndOfKeys(database, userName)
        const chosen = await choosePassword(options)
        valueOrFailure(await setUserPassword(database, userName, chosen))
        return chosen
      })
      console.log(`${userName} has another password; sessions and API keys have ended.`)
      printPassword(password, options)
    })
}

/** @throws StartFailure if the user has sessions or API keys and nobody agrees to end them */
async function confirmEndOfKeys(database: Database, userName: string): Promise<void> {
  const userId = await findUserId(database, userName)
  const keys = userId === undefined ? 0 : await countValidKeys(database, userId, systemClock.nowMs())
  if (keys === 0) return
  console.error(`This ends ${keys} ${keys === 1 ? 'session or API key' : 'sessions and API keys'} of ${userName}.`)
  await confirm({ to: 'set the password', whenDeclined: 'Nothing was changed' })
}

function registerActive(user: Command): void {
  user
    .command('deactivate')
    .description('disable a user; ends all of their sessions and API keys')
    .argument('<user-name>')
    .action(async (userName: string) => {
      await withDatabase(async (database) => valueOrFailure(await setUserActive(database, userName, false)))
      console.log(`${userName} cannot come in any longer.`)
    })
  user
    .command('activate')
    .description('enable a user again, with their password and new keys')
    .argument('<user-name>')
    .action(async (userName: string) => {
      await withDatabase(async (database) => valueOrFailure(await setUserActive(database, userName, true)))
      console.log(`${userName} can come in again.`)
    })
  user
    .command('end-sessions')
    .description('end all sessions and API keys of a user; the password stays')
    .argument('<user-name>')
    .action(async (userName: string) => {
      await withDatabase(async (database) => {
        const userId = await findUserId(database, userName)
        valueOrFailure(userId === undefined ? noSuchUser(userName) : succeed(await endAllSessions(database, userId)))
      })
      console.log(`Sessions and API keys of ${userName} have ended.`)
    })
}

function registerUnlock(user: Command): void {
  user
    .command('unlock')
    .description('lift the lock that failed logins brought; passwords, sessions and API keys stay')
    .argument('<user-name>')
    .action(async (userName: string) => {
      await withDatabase(async (database) => valueOrFailure(await unlockUser(database, userName)))
      console.log(`${userName} can sign in again, also from the networks where logins of ${userName} failed.`)
    })
}

function registerRoles(user: Command): void {
  user
    .command('roles')
    .description('give roles to a user and take them away; then list them')
    .argument('<user-name>')
    .option('--give <names>', 'with commas between them', asNames, [])
    .option('--take <names>', 'with commas between them', asNames, [])
    .action(
      async (userName: string, options: { readonly give: readonly string[]; readonly take: readonly string[] }) => {
        const roles = await withDatabase(async (database) =>
          valueOrFailure(await changeRoles(database, userName, options)),
        )
        console.log(`Given: ${roles.direct.join(', ') || 'none'}`)
        console.log(`With those of groups and those inside roles: ${roles.all.join(', ') || 'none'}`)
      },
    )
}

const noSuchUser = (userName: string) => fail<Problem>({ kind: 'thing-not-found', thing: 'user', name: userName })

interface PasswordOption {
  readonly passwordStdin?: true
}

const choosePassword = async ({ passwordStdin }: PasswordOption): Promise<string> =>
  passwordStdin === true ? readLine() : makePassword()

function printPassword(password: string | null, { passwordStdin }: PasswordOption): void {
  if (password !== null && passwordStdin !== true) console.log(`Password: ${password} (shown only now)`)
}
