import { readVersion } from '../../config/version.ts'
import type { SessionDescription } from '../../contract/login.ts'
import type { Authenticated } from '../../identity/authenticate.ts'

interface KnownOfCaller extends Pick<SessionDescription, 'features' | 'may_read_documents'> {
  readonly lastEventId: string
}

/** Describes the caller, how long their credentials are valid, and the features of the server. */
export function describeSession(
  { principal, means }: Authenticated,
  { features, may_read_documents, lastEventId }: KnownOfCaller,
): SessionDescription {
  return {
    user: { sys_id: principal.userId, user_name: principal.userName, display_name: principal.displayName },
    roles: [...principal.roles].sort(),
    groups: principal.groupIds,
    language: principal.language,
    time_zone: principal.timeZone,
    auth_method: means.kind,
    expires_at:
      means.kind === 'password' ? null : utcText(Math.min(means.expiresAtMs, means.idleEndMs ?? means.expiresAtMs)),
    ends_at: means.kind === 'password' ? null : utcText(means.expiresAtMs),
    landing_page: landingPageOf(principal.roles),
    may_read_documents,
    features,
    server_version: readVersion(),
    last_event_id: lastEventId,
  }
}

const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

function landingPageOf(roles: ReadonlySet<string>): SessionDescription['landing_page'] {
  if (roles.has('admin') || roles.has('security_admin')) return 'administrator'
  return roles.has('itil') ? 'agent' : 'caller'
}
