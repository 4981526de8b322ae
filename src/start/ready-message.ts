import type { Settings } from '../config/settings.ts'

/** `password` only when it was made up now and nobody knows it yet. */
interface Administrator {
  /** The database was given its first password just now. */
  readonly created: boolean
  readonly password?: string
}

const name = 'admin'
const firstPath = '/rest/v1/table/itsm_incident?sysparm_limit=3'

/** What the person who started Docket sees last: where it is, who may enter, and a line to try. */
export function readyMessage(address: string, administrator: Administrator, settings: Settings): string {
  const lines = [
    `Docket is ready at ${address}`,
    ...administratorLines(administrator, settings),
    `Try: curl ${credentials(administrator, settings)} '${address}${firstPath}'`,
  ]
  return `${lines.join('\n')}\n`
}

/** For a start that created the administrator and then failed; empty for any other. */
export function administratorMessage(administrator: Administrator, settings: Settings): string {
  return administratorLines(administrator, settings)
    .map((line) => `${line}\n`)
    .join('')
}

function administratorLines({ created, password }: Administrator, settings: Settings): readonly string[] {
  if (!created) return []
  const told = password ?? (settings.adminPassword === undefined ? undefined : 'as DOCKET_ADMIN_PASSWORD says')
  return [`Administrator: ${name}`, `Password: ${told}${password === undefined ? '' : ' (shown only now)'}`]
}

/** A password that was set is not repeated; the shell puts it in, or curl asks for it. */
function credentials({ password }: Administrator, settings: Settings): string {
  if (password !== undefined) return `-u '${name}:${password}'`
  return settings.adminPassword === undefined ? `-u ${name}` : `-u "${name}:$DOCKET_ADMIN_PASSWORD"`
}
