import type { Settings } from '../config/settings.ts'

/** `password` only if this start generated it. */
interface Administrator {
  /** This start set the first password of the database. */
  readonly created: boolean
  readonly password?: string
}

export interface ReadyServer {
  /** Such as http://127.0.0.1:8080; never a wildcard. */
  readonly address: string
  readonly administrator: Administrator
  /** User names. */
  readonly demoUsers: readonly string[]
}

const name = 'admin'
const firstPath = '/rest/v1/table/itsm_incident?sysparm_limit=3'

/** The last lines of a start: the address, who can sign in, and an example command. */
export function readyMessage({ address, administrator, demoUsers }: ReadyServer, settings: Settings): string {
  return [
    `Docket is ready at ${address} (documentation: ${address}/docs)\n`,
    administratorMessage(administrator, settings),
    demoUsers.length === 0 ? '' : `Demo users: ${demoUsers.join(', ')} (passwords: docs/demo-desk.md)\n`,
    `Try: curl ${credentials(administrator, settings)} '${address}${firstPath}'\n`,
  ].join('')
}

/** Also for a start that created the administrator and then failed; empty if the administrator existed. */
export function administratorMessage({ created, password }: Administrator, settings: Settings): string {
  if (!created) return ''
  if (password !== undefined) return `Administrator: ${name}, password: ${password} (shown only now)\n`
  return settings.adminPassword === undefined ? '' : `Administrator: ${name}, password: as DOCKET_ADMIN_PASSWORD says\n`
}

/** A configured password is not repeated; the shell inserts it, or curl prompts for it. */
function credentials({ password }: Administrator, settings: Settings): string {
  if (password !== undefined) return `-u '${name}:${password}'`
  return settings.adminPassword === undefined ? `-u ${name}` : `-u "${name}:$DOCKET_ADMIN_PASSWORD"`
}
