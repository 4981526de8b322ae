import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DocumentDeps } from './document-deps.ts'
import { documentLimits } from './document-limits.ts'
import { readableCollections } from './rights/collection-access.ts'
import { visibleDocuments } from './rights/visible-documents.ts'

/** How filters compare the values of a key: each value by its own type. */
export type MetadataType = 'text' | 'number' | 'boolean' | 'time'

/** A key that filters can name, as the documents that the caller may see use it. */
export interface MetadataKey {
  readonly key: string
  /** The type of most values first. */
  readonly types: readonly MetadataType[]
  /** Documents that have the key. */
  readonly documents: number
  /** Different values. Times are not counted: they are compared, not chosen. */
  readonly distinctValues: number
  /** Values of most documents first; long ones and times are left out. */
  readonly values: readonly { readonly value: string | number | boolean; readonly documents: number }[]
}

export interface MetadataKeys {
  /** The keys of most documents first. */
  readonly keys: readonly MetadataKey[]
  /** Documents that were read. */
  readonly documents: number
  /** false: a collection has more documents than are read. */
  readonly isComplete: boolean
}

export interface MetadataKeysRequest {
  /** null: every collection that the caller may read. */
  readonly collectionNames: readonly string[] | null
  readonly maxKeys: number
  /** Values of each key. */
  readonly maxValues: number
}

/** Keys of the metadata in these collections, and their frequent values, of the documents that the caller may see. */
export async function listMetadataKeys(
  deps: DocumentDeps,
  principal: Principal,
  { collectionNames, maxKeys, maxValues }: MetadataKeysRequest,
): Promise<Result<MetadataKeys, Problem>> {
  const readable = await readableCollections(deps.database, principal, collectionNames)
  if (!readable.ok) return readable
  const { collections } = readable.value
  if (collections.length === 0) return succeed({ keys: [], documents: 0, isComplete: true })
  const visible = await visibleDocuments(deps.readableRecords, principal, collections)
  // A share of each collection, so that a large one does not hide the keys of the others.
  const share = Math.max(1, Math.floor(documentLimits.documentsOfMetadataKeys / collections.length))
  const [row] = await deps.database.rows(sql<KeysRow>`
    with chosen as materialized (
      select d.nth, d.doc_id, d.file_name, d.metadata, d.filter_values
      from unnest(${collections.map(({ id }) => id)}::integer[]) as c (id)
      cross join lateral (
        select d.doc_id, d.file_name, d.metadata, d.filter_values, row_number() over (order by d.doc_id) as nth
        from docket_documents.document d
        where d.collection_id = c.id and d.removed_position is null and ${visible ?? sql`true`}
        order by d.doc_id limit ${share + 1}
      ) d
    ), looked_at as (
      select * from chosen where nth <= ${share}
    ), used as (
      select e.key, e.members, coalesce(d.metadata -> e.key,
               case e.key when 'doc_id' then to_jsonb(d.doc_id) when 'file_name' then to_jsonb(d.file_name) end) as sent
      from looked_at d cross join lateral jsonb_each(d.filter_values) as e (key, members)
    ), spelled as (
      -- Metadata has values as they were sent. Empty members of a list are in no filter.
      select key, members -> 0 as member, coalesce(sent, members -> 0) #>> '{}' as spelling from used
      where jsonb_typeof(sent) is distinct from 'array'
      union all
      select used.key, once.member, once.spelling from used cross join lateral (
        select m.member, min(m.original #>> '{}' collate "C") as spelling from rows from (
          jsonb_array_elements(used.members),
          jsonb_path_query(used.sent, '$[*] ? (@.type() != "null" && (@.type() != "string" || @ != ""))')
        ) as m (member, original) group by m.member
      ) once where jsonb_typeof(used.sent) = 'array'
    ), every_value as (
      select key, member, min(spelling collate "C") as spelling, count(*) as documents,
             case jsonb_typeof(member) when 'number' then 'number' when 'boolean' then 'boolean'
                  when 'object' then 'time' else 'text' end as type
      from spelled group by key, member
    ), one_value as (
      select * from every_value where type <> 'time'
    ), ranked as (
      select *, row_number() over (partition by key order by documents desc, type, spelling collate "C") as place
      from one_value where length(spelling) <= ${documentLimits.valueUnitsOfMetadataKeys}
    ), listed as (
      select key, json_agg(json_build_object(
               'value', case when type = 'text' then to_jsonb(spelling) else member end, 'documents', documents) order by place) as values
      from ranked where place <= ${maxValues} group by key
    ), counted as (
      select key, count(*) as distinct_values from one_value group by key
    ), typed as (
      select key, array_agg(type order by documents desc, type) as types
      from (select key, type, sum(documents) as documents from every_value group by key, type) by_type group by key
    ), keys as (
      select present.key, present.documents, typed.types, coalesce(listed.values, '[]') as values,
             coalesce(counted.distinct_values, 0) as distinct_values
      from (select key, count(*) as documents from used group by key) present
      join typed on typed.key = present.key
      left join listed on listed.key = present.key
      left join counted on counted.key = present.key
      order by present.documents desc, present.key collate "C" limit ${maxKeys}
    )
    select (select count(*) from looked_at) as documents,
           not exists (select from chosen where nth > ${share}) as is_complete,
           coalesce((select json_agg(json_build_object('key', key, 'types', types, 'documents', documents,
                      'distinctValues', distinct_values, 'values', values) order by documents desc, key collate "C") from keys), '[]') as keys`)
  if (row === undefined) throw new Error('a statement of sums gave no row')
  return succeed({ keys: row.keys, documents: Number(row.documents), isComplete: row.is_complete })
}

interface KeysRow {
  readonly documents: string
  readonly is_complete: boolean
  readonly keys: readonly MetadataKey[]
}
