import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadKeyOwner, loadPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { addGroup, addUser, giveRoles, join } from '../flow/identity/people.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let userId: string
let groupId: string
const names = Array.from({ length: 8 }, (_, n) => `law_${n}`)
const keyHash = Buffer.alloc(32, 7)

beforeAll(async () => {
  fresh = await freshDatabase()
  userId = await addUser(fresh.database, 'law', null)
  groupId = await addGroup(fresh.database, 'Law')
  await join(fresh.database, userId, groupId)
  await fresh.database.rows(sql`insert into docket.sys_role (name) select unnest(${names}::text[])`)
  await fresh.database.rows(sql`
    insert into docket_system.access_key (key_hash, kind, user_id, name, roles, generation, created_at, created_by, expires_at)
    values (${keyHash}, 'api_key', ${userId}::bigint, 'law', '{}', 0, now(), ${userId}::bigint, '2100-01-01')`)
})
afterAll(() => fresh.drop())

const role = fc.constantFrom(...names)
const edge = fc.tuple(role, role)

/** The expected closure, found by repeated steps along the edges: slow, but simple. */
function reached(from: readonly string[], edges: readonly (readonly [string, string])[]): readonly string[] {
  const found = new Set(from)
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const [owner, held] of edges) if (found.has(owner)) found.add(held)
  }
  return [...found].sort()
}

test('a user has exactly the roles that can be reached, and a key exactly those of them that its subset reaches', async () => {
  const { database } = fresh
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(edge, { maxLength: 20, selector: (pair) => pair.join() }),
      fc.uniqueArray(role),
      fc.uniqueArray(role),
      fc.option(fc.uniqueArray(role)),
      async (edges, direct, throughGroup, subset) => {
        await database.rows(
          sql`delete from docket.sys_role_contains where role_id in (select sys_id from docket.sys_role where name like 'law%')`,
        )
        await database.rows(sql`delete from docket.sys_user_has_role where user_id = ${userId}::bigint`)
        await database.rows(sql`delete from docket.sys_group_has_role`)
        await database.rows(sql`
          insert into docket.sys_role_contains (role_id, contained_role_id)
          select a.sys_id, b.sys_id from json_array_elements(${JSON.stringify(edges)}::json) e
          join docket.sys_role a on a.name = e ->> 0 join docket.sys_role b on b.name = e ->> 1`)
        await giveRoles(database, userId, direct)
        await database.rows(sql`
          insert into docket.sys_group_has_role (group_id, role_id)
          select ${groupId}::bigint, sys_id from docket.sys_role where name = any (${throughGroup})`)
        await database.rows(sql`update docket_system.access_key set roles = ${subset}::text[]`)

        const held = reached([...direct, ...throughGroup], edges)
        const allowed = subset === null ? held : reached(subset, edges)
        const user = await loadPrincipal(database, userId)
        const owner = await loadKeyOwner(database, keyHash)
        expect([...(user?.principal.roles ?? [])].sort()).toEqual(held)
        expect([...(owner?.owner.principal.roles ?? [])].sort()).toEqual(held.filter((name) => allowed.includes(name)))
        expect(owner?.key.hasRoleSubset).toBe(subset !== null)
      },
    ),
    { numRuns: 60 },
  )
})
