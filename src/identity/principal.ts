/** The caller, after authentication. Every module below `http/` gets this and never a credential. */
export interface Principal {
  /** sys_id of the row in `user`. */
  readonly userId: string
  readonly userName: string
  readonly displayName: string
  /** Names of all roles held, directly, through groups and through roles that contain roles; narrowed by an API key's subset. */
  readonly roles: ReadonlySet<string>
  /** The same roles as one text, sorted and joined: equal texts may share a plan. */
  readonly roleKey: string
  /** sys_ids of the groups the user is a member of. */
  readonly groupIds: readonly string[]
  /** sys_id of the user's company. Absent: none. */
  readonly companyId?: string | null
  readonly language: 'en' | 'ru'
  /** IANA name; 'UTC' where the user has none. */
  readonly timeZone: string
  /** The caller used a narrowed key (narrowed-key.ts), which must not give access in other ways. Absent: false. */
  readonly isNarrowed?: boolean
}
