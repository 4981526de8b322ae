import type { Session } from '../database/database.ts'
import { utcTimestamp } from '../database/utc-timestamp.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { minChunkUnits } from './chunk/chunk-text.ts'
import type { DocumentDeps } from './document-deps.ts'
import { documentLimits } from './document-limits.ts'
import { type CollectionDetails, listCollectionDetails } from './list-collections.ts'
import { callerModel, createCollection, readCollections } from './store/collections.ts'
import { readCollectionName } from './upload/read-collection-name.ts'

/** The settings of a collection that can change. undefined keeps a setting, null resets it to its default. */
export interface CollectionChange {
  readonly readerRole?: string | null | undefined
  readonly writerRole?: string | null | undefined
  readonly aclTable?: string | null | undefined
  /**
   * Columns of aclTable that a reader must also be allowed to read on the record. A change of the table resets them,
   * unless they are given, or the collection follows the table.
   */
  readonly aclColumns?: readonly string[] | undefined
  readonly chunkUnits?: number | null | undefined
  readonly overlapUnits?: number | null | undefined
  /** null: the default model; `callerModel`: callers give the vectors; otherwise the name of a configured model. */
  readonly embeddingsModel?: string | null | undefined
  /** Dimensions of the vectors that callers give. */
  readonly vectorLength?: number | null | undefined
}

/**
 * Sets roles, binding and chunk sizes of a collection, and creates it if it does not exist. Rights apply from the next
 * request on. Existing documents are split again by new sizes in the background.
 */
export async function configureCollection(
  deps: DocumentDeps,
  principal: Principal,
  sentName: string,
  change: CollectionChange,
): Promise<Result<CollectionDetails, Problem>> {
  if (!principal.roles.has('admin'))
    return fail({ kind: 'role-needed', roles: ['admin'], to: 'configure a collection' })
  const name = readCollectionName(sentName)
  if (!name.ok) return name
  const unfit = (await problemWith(deps, change)) ?? (await problemWithVectors(deps, name.value, change))
  if (unfit !== null) return fail(unfit)
  const now = new Date(deps.clock.nowMs())
  // One transaction: nobody may find the collection without its binding and load into it.
  await deps.database.inTransaction(async (session) => {
    // Publishing locks the log before the collection, so it reads either the old settings or the new ones.
    await session.rows(sql`select docket_documents.next_position()`)
    await createCollection(session, name.value, principal.userId, now)
    await changeCollection(session, name.value, change, now)
  })
  for (const model of deps.models.values()) model.notify()
  const details = await listCollectionDetails(deps, principal, [name.value])
  if (!details.ok) return details
  const [made] = details.value
  return made === undefined ? fail({ kind: 'thing-not-found', thing: 'collection', name: name.value }) : succeed(made)
}

async function changeCollection(session: Session, name: string, change: CollectionChange, now: Date): Promise<void> {
  const [collection] = (await readCollections(session, [name])).collections
  const wanted = { ...collection, ...withoutUndefined(change) }
  const { readerRole = null, writerRole = null, aclTable = null, chunkUnits = null, overlapUnits = null } = wanted
  const { vectorLength = null } = wanted
  const isOfAnother = collection?.aclTable !== aclTable && change.aclColumns === undefined
  const areReset = isOfAnother && !(await isGuardedByFollowing(session, collection?.id ?? null, aclTable))
  const aclColumns = areReset ? [] : [...(wanted.aclColumns ?? [])]
  await session.rows(sql`
    update docket_documents.collection
    set reader_role = ${readerRole}, writer_role = ${writerRole}, acl_table = ${aclTable}, acl_columns = ${aclColumns}::text[], chunk_units = ${chunkUnits},
        overlap_units = ${overlapUnits},
        rechunk_due = rechunk_due or chunk_units is distinct from ${chunkUnits}::integer or overlap_units is distinct from ${overlapUnits}::integer,
        vector_length = ${vectorLength}, updated_at = ${utcTimestamp(now)}
    where name = ${name} and removed_position is null`)
  if (change.embeddingsModel !== undefined && change.embeddingsModel !== collection?.embeddingsModel)
    await session.rows(sql`
      select docket_documents.choose_embedding_model(c.id, ${change.embeddingsModel}) from docket_documents.collection c
      where c.name = ${name} and c.removed_position is null`)
}

/** Documents of a followed table have its columns: these guard them again when the collection is bound to it again. */
async function isGuardedByFollowing(session: Session, id: number | null, aclTable: string | null): Promise<boolean> {
  const rows = await session.rows(sql`
    select from docket_documents.follow f
    where f.collection_id = ${id}::integer and (${aclTable}::text is null or f.table_name = ${aclTable})`)
  return rows.length > 0
}

function withoutUndefined(change: CollectionChange): Partial<CollectionChange> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

async function problemWith(deps: DocumentDeps, change: CollectionChange): Promise<Problem | null> {
  const { readerRole, writerRole, aclTable, chunkUnits, overlapUnits } = change
  for (const [field, role] of [
    ['reader_role', readerRole],
    ['writer_role', writerRole],
  ] as const)
    if (role != null && !(await exists(deps, sql`docket.sys_role`, role)))
      return { kind: 'invalid-value', field, detail: `there is no role ${role}` }
  if (aclTable != null && !(await exists(deps, sql`docket.sys_db_table`, aclTable)))
    return { kind: 'invalid-value', field: 'acl_table', detail: `there is no table ${aclTable}` }
  if (chunkUnits != null && (chunkUnits < minChunkUnits || chunkUnits > maxChunkUnits))
    return {
      kind: 'invalid-value',
      field: 'chunk_units',
      detail: `it must be from ${minChunkUnits} to ${maxChunkUnits}`,
    }
  if (overlapUnits != null && (overlapUnits < 0 || overlapUnits > (chunkUnits ?? minChunkUnits * 2) / 2))
    return { kind: 'invalid-value', field: 'overlap_units', detail: 'it must be from 0 to half of chunk_units' }
  return null
}

async function problemWithVectors(
  { database, models }: DocumentDeps,
  name: string,
  { embeddingsModel, vectorLength }: CollectionChange,
): Promise<Problem | null> {
  if (embeddingsModel != null && embeddingsModel !== callerModel && !models.has(embeddingsModel)) {
    const known = [callerModel, ...models.keys()].join(', ')
    return {
      kind: 'invalid-value',
      field: 'embeddings_model',
      detail: `there is no model ${embeddingsModel}; it may be ${known}`,
    }
  }
  if (vectorLength === undefined) return null
  if (vectorLength !== null && (vectorLength < 1 || vectorLength > documentLimits.vectorNumbers)) {
    const detail = `it must be from 1 to ${documentLimits.vectorNumbers}`
    return { kind: 'invalid-value', field: 'vector_length', detail }
  }
  const others = await database.rows(sql`
    select from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
    where c.name = ${name} and c.removed_position is null and c.vector_length is distinct from ${vectorLength}
      and d.removed_position is null and d.vector_hash is not null limit 1`)
  if (others.length === 0) return null
  return { kind: 'conflict', detail: 'The collection has vectors of another length; delete their documents first' }
}

/** Longer chunks are not passages any more, even if a language model has room for them. */
const maxChunkUnits = 10_000

async function exists(deps: DocumentDeps, table: ReturnType<typeof sql>, name: string): Promise<boolean> {
  const rows = await deps.database.rows(sql`select from ${table} where name = ${name}`)
  return rows.length > 0
}
