import type { Session } from '../../database/database.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type Collection, type CollectionsNow, readCollections } from '../store/collections.ts'

export const readerRole = 'document_reader'
export const writerRole = 'document_writer'

/** A collection's own roles replace the general ones; a caller who may write it may read it. */
export function mayRead({ roles }: Principal, collection: Collection): boolean {
  return roles.has('admin') || roles.has(collection.readerRole ?? readerRole) || mayWriteByRole(roles, collection)
}

export function mayWrite({ roles }: Principal, collection: Collection): boolean {
  return roles.has('admin') || mayWriteByRole(roles, collection)
}

function mayWriteByRole(roles: ReadonlySet<string>, collection: Collection): boolean {
  return roles.has(collection.writerRole ?? writerRole)
}

/** Collections that a caller may read, and the state of the database in which they were read. */
export type ReadableCollections = CollectionsNow

/**
 * The collections that a caller named, or all that they may read.
 *
 * An unknown collection and one that the caller may not read give the same response. A caller without any role for
 * documents gets the same error whether the collection exists or not.
 *
 * @param names null: all
 * @param which `also-awaited`: includes pending collections without documents, for requests about loads
 */
export async function readableCollections(
  session: Session,
  principal: Principal,
  names: readonly string[] | null,
  which: 'there' | 'also-awaited' = 'there',
): Promise<Result<ReadableCollections, Problem>> {
  return readableAmong(await readCollections(session, names, which), principal, names)
}

/** The same, of collections that were read already. */
export function readableAmong(
  now: CollectionsNow,
  principal: Principal,
  names: readonly string[] | null,
): Result<ReadableCollections, Problem> {
  const collections = now.collections.filter((collection) => mayRead(principal, collection))
  const isReader = principal.roles.has(readerRole) || principal.roles.has('admin')
  const needsRole = fail<Problem>({ kind: 'role-needed', roles: [readerRole], to: 'read documents' })
  if (names === null) return isReader || collections.length > 0 ? succeed({ ...now, collections }) : needsRole
  const found = new Set(collections.map(({ name }) => name))
  const missing = names.find((name) => !found.has(name))
  if (missing === undefined) return succeed({ ...now, collections })
  return isReader ? fail(collectionNotFound(missing)) : needsRole
}

/** Whether the caller may read the documents of a collection, or would if there were any. */
export async function mayReadDocuments(session: Session, principal: Principal): Promise<boolean> {
  const { roles } = principal
  return roles.has(readerRole) || roles.has('admin') || (await readableCollections(session, principal, null)).ok
}

/** One collection, to change its contents. */
export async function writableCollection(
  session: Session,
  principal: Principal,
  name: string,
  which: 'there' | 'also-awaited' = 'there',
): Promise<Result<Collection, Problem>> {
  const { collections } = await readCollections(session, [name], which)
  const [collection] = collections
  if (collection !== undefined && mayWrite(principal, collection)) return succeed(collection)
  const needed = collection !== undefined && mayRead(principal, collection) ? collection.writerRole : null
  const isWriter = principal.roles.has(writerRole)
  if (needed !== null || !isWriter) return fail(writingNeeds(needed ?? writerRole))
  return fail(collectionNotFound(name))
}

export function writingNeeds(role: string): Problem {
  return { kind: 'role-needed', roles: [role], to: 'change the documents of this collection' }
}

export function collectionNotFound(name: string): Problem {
  return { kind: 'thing-not-found', thing: 'collection', name }
}
