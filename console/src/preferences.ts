import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { ConflictError } from 'docket-client'
import { useCallback } from 'react'
import { endIfSignedOut, onceSignedIn, useSession } from './app.tsx'
import { docket } from './docket.ts'
import { loadPart } from './load-part.ts'
import { t } from './messages/i18n.ts'
import { copyKey } from './session.ts'
import { messageOf } from './ui/states.tsx'
import { showToast } from './ui/toast.tsx'
import { confirmClosing } from './unsaved-input.ts'

export interface Preference {
  /** null: not stored yet. */
  readonly sysId: string | null
  readonly value: unknown
}
type Preferences = Readonly<Record<string, Preference>>

/** Name prefix of the console's rows in sys_user_preference. */
export const preferencePrefix = 'console.'

/** Preferences in this browser, so that the next start need not wait for the server. Signing out removes them. */
interface Copy {
  readonly user: string
  readonly preferences: Preferences
}

function readCopy(user: string): Preferences | undefined {
  const text = localStorage.getItem(copyKey)
  if (text === null) return undefined
  const copy = JSON.parse(text) as Copy
  return copy.user === user ? copy.preferences : undefined
}

function storeCopy(copy: Copy): void {
  // A session may end without a sign-out, so nothing of what the user has searched stays here.
  const kept = Object.entries(copy.preferences).filter(([name]) => !name.startsWith('queries.'))
  if (kept.length === 0) localStorage.removeItem(copyKey)
  else localStorage.setItem(copyKey, JSON.stringify({ ...copy, preferences: Object.fromEntries(kept) }))
}

async function readAll(signal?: AbortSignal): Promise<Preferences> {
  const rows = await docket
    .table('sys_user_preference')
    .list(`nameSTARTSWITH${preferencePrefix}`, {
      fields: ['sys_id', 'name', 'value'],
      display: 'all',
      signal,
    })
    .toArray({ max: 500 })
  return Object.fromEntries(
    rows.map((row) => [
      String(row['name']?.value).slice(preferencePrefix.length),
      { sysId: String(row['sys_id']?.value), value: row['value']?.value },
    ]),
  )
}

/** Names of the values that the user has set on this page. */
const setHere = new Set<string>()

export const preferencesQuery = (user: string) =>
  queryOptions({
    queryKey: ['preferences', user],
    // The copy of this browser is read again at once: another browser may have changed the values since.
    staleTime: ({ state }) => (state.dataUpdatedAt === 0 ? 0 : Number.POSITIVE_INFINITY),
    initialData: () => readCopy(user),
    initialDataUpdatedAt: 0,
    queryFn: async ({ client, queryKey, signal }) => {
      const read = await readAll(signal)
      // What was set while the rows were being read is newer than they are.
      const known = client.getQueryData<Preferences>(queryKey) ?? {}
      const newer = Object.entries(known).filter(([name]) => setHere.has(name))
      const preferences = { ...read, ...Object.fromEntries(newer) }
      storeCopy({ user, preferences })
      return preferences
    },
  })

/** What this browser knows of a preference before the server has responded. */
export const rememberedPreference = (user: string, name: string): unknown => readCopy(user)?.[name]?.value

/** @returns the sys_id of the row */
async function write(name: string, value: unknown, known: Preference | undefined): Promise<string> {
  const table = docket.table('sys_user_preference')
  if (known !== undefined && known.sysId !== null) {
    await table.update(known.sysId, { value }, { ifMatch: false })
    return known.sysId
  }
  const { row } = await table.create(
    { name: `${preferencePrefix}${name}`, value },
    { fields: ['sys_id'], display: 'all' },
  )
  return String(row['sys_id']?.value)
}

/** What this page and browser know of a preference from now on. */
export function storePreference(client: QueryClient, user: string, name: string, preference: Preference): void {
  const { queryKey } = preferencesQuery(user)
  setHere.add(name)
  const preferences = { ...client.getQueryData(queryKey), [name]: preference }
  client.setQueryData(queryKey, preferences)
  storeCopy({ user, preferences })
}

let last: Promise<unknown> = Promise.resolve()

/** Number of writes that wait for the sign-in. */
let unsent = 0
confirmClosing(() => unsent > 0)

/**
 * Writes run one after the other: the second of two quick changes needs the row that the first has created. If the session has ended, they
 * wait until the user has signed in again.
 */
export function runExclusive<T>(work: () => Promise<T>): Promise<T> {
  const attempt = (): Promise<T> =>
    work().catch(async (problem: unknown) => {
      if (!endIfSignedOut(problem)) throw problem
      unsent += 1
      await new Promise<void>(onceSignedIn)
      unsent -= 1
      return attempt()
    })
  const turn = last.then(attempt)
  last = turn.catch(() => undefined)
  return turn
}

let hasReported = false

/** Says once that preferences are not stored, until one is again: the width of a column is stored with each key. */
export function reportUnstored(problem: unknown): void {
  if (hasReported) return
  hasReported = true
  showToast(t('edit.notStored', { reason: messageOf(problem) }))
}

export interface PreferenceState<T> {
  /** null: nothing is stored. */
  readonly value: T | null
  /** Whether the value is known, from the server or from the copy in this browser. */
  readonly isRead: boolean
  readonly set: (value: T) => Promise<void>
  /**
   * Sets what becomes of the stored value, at once in this page. What other tabs and browsers have made of it stays.
   *
   * @param make gets null if nothing is stored
   */
  readonly change: (make: (stored: T | null) => T) => Promise<void>
}

/** How the user wants forms. */
export interface FormPreference {
  /** Sections are tabs. */
  readonly tabs: boolean
}

/** A value that the server stores for the user, for all browsers. */
export function usePreference<T extends object>(name: string): PreferenceState<T> {
  const { user } = useSession()
  const client = useQueryClient()
  const query = preferencesQuery(user.sys_id)
  const { data } = useQuery(query)
  const set = useCallback(
    async (value: T): Promise<void> => {
      const { queryKey } = preferencesQuery(user.sys_id)
      const known = (): Preference | undefined => client.getQueryData(queryKey)?.[name]
      const store = (preference: Preference): void => storePreference(client, user.sys_id, name, preference)
      // The user may have set another value meanwhile: its own write follows.
      const storeId = (sysId: string): void => store({ value, ...known(), sysId })
      store({ sysId: known()?.sysId ?? null, value })
      await runExclusive(async () => {
        try {
          storeId(await write(name, value, known()))
          hasReported = false
        } catch (problem) {
          if (!(problem instanceof ConflictError)) throw problem
          // Another tab has meanwhile created the row.
          storeId(await write(name, value, (await readAll())[name]))
        }
      })
    },
    [client, name, user.sys_id],
  )
  const change = async (make: (stored: T | null) => T): Promise<void> => {
    const known = (client.getQueryData(query.queryKey) ?? (await client.ensureQueryData(query)))[name]
    storePreference(client, user.sys_id, name, { sysId: known?.sysId ?? null, value: make(objectOf<T>(known)) })
    const { changePreference } = await loadPart(() => import('./change-preference.ts'))
    const which = { client, user: user.sys_id, name }
    await changePreference(which, (value) => make(objectOf<T>({ sysId: null, value })))
    hasReported = false
  }
  return { value: objectOf<T>(data?.[name]), isRead: data !== undefined, set, change }
}

const objectOf = <T extends object>(preference: Preference | undefined): T | null =>
  typeof preference?.value === 'object' ? (preference.value as T | null) : null
