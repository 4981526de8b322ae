import type { QueryClient } from '@tanstack/react-query'
import { ConflictError } from 'docket-client'
import { docket } from './docket.ts'
import { type Preference, preferencePrefix, runExclusive, storePreference } from './preferences.ts'

interface PreferenceName {
  readonly client: QueryClient
  /** sys_id */
  readonly user: string
  readonly name: string
}

/** Changes by name that are not finished. */
const unfinished = new Map<string, number>()

/**
 * Changes a stored value, whatever the user's other tabs and browsers have made of it since this page has read it.
 *
 * @param change gets the stored value. undefined: it stays
 */
export async function changePreference(
  which: PreferenceName,
  change: (stored: unknown) => object | undefined,
): Promise<void> {
  const { client, user, name } = which
  const count = (by: number): number => {
    const left = (unfinished.get(name) ?? 0) + by
    unfinished.set(name, left)
    return left
  }
  count(1)
  let changed: Preference | null = null
  try {
    changed = await runExclusive(() => changeInTurns(name, change))
  } finally {
    // What the page has made of the value for the next change is newer.
    if (count(-1) === 0 && changed !== null) storePreference(client, user, name, changed)
  }
}

/** Each turn is lost to a change of the same value in another tab. */
const maxTurns = 5

async function changeInTurns(name: string, change: (stored: unknown) => object | undefined): Promise<Preference> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await changeOnce(name, change)
    } catch (problem) {
      if (!(problem instanceof ConflictError) || turn === maxTurns) throw problem
    }
  }
}

async function changeOnce(name: string, change: (stored: unknown) => object | undefined): Promise<Preference> {
  const table = docket.table('sys_user_preference')
  const found = await table.list(`name=${preferencePrefix}${name}`, { fields: ['sys_id'], display: 'all' }).first()
  if (found === null) {
    const value = change(null)
    if (value === undefined) return { sysId: null, value: null }
    const body = { name: `${preferencePrefix}${name}`, value }
    const { row } = await table.create(body, { fields: ['sys_id'], display: 'all' })
    return { sysId: String(row['sys_id']?.value), value }
  }
  const sysId = String(found['sys_id']?.value)
  const { row, etag } = await table.get(sysId, { fields: ['value'], display: 'all' })
  const stored: unknown = row['value']?.value
  const value = change(stored)
  if (value === undefined) return { sysId, value: stored }
  await table.update(sysId, { value }, { ifMatch: etag })
  return { sysId, value }
}
