import { readFileSync, statSync } from 'node:fs'
import { StartFailure } from '../../kernel/start-failure.ts'

/** The account of the operating system that PostgreSQL runs as if Docket itself is root. */
export interface OperatingAccount {
  readonly uid: number
  readonly gid: number
  readonly name: string
}

const preferredNames = ['docket', 'postgres', 'nobody']

/**
 * PostgreSQL refuses to run as root. An existing cluster keeps its owner; a new one belongs to the given account, or to the first of
 * docket, postgres and nobody that exists on this machine.
 *
 * @returns undefined if Docket is not root: PostgreSQL then runs as the same account
 * @throws StartFailure if Docket is root and there is no account for PostgreSQL
 */
export function chooseOperatingAccount(clusterDirectory: string, named?: string): OperatingAccount | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const owner = statSync(clusterDirectory, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, name: `number ${owner.uid}` }
  const accounts = readAccounts()
  const names = named === undefined ? preferredNames : [named]
  const found = names.flatMap((name) => accounts.filter((account) => account.name === name && account.uid !== 0))[0]
  if (found !== undefined) return found
  throw new StartFailure(
    `Docket runs as root and PostgreSQL refuses to, and this machine has no account named ${names.join(', ')}: start Docket as another user, set DOCKET_POSTGRES_ACCOUNT to an existing account, or set DOCKET_DATABASE_URL.`,
  )
}

function readAccounts(): readonly OperatingAccount[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid = '', gid = '']) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid }) => name !== '' && Number.isInteger(uid))
}
