import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import { callerModel } from '../store/collections.ts'

/** A document whose stored vector differs from the one that its caller gave. Only a caller can give it again. */
export interface GivenVectorDifference {
  /** `wrong-length`: its collection has vectors of another length. `different`: it is not the vector that was given. */
  readonly kind: 'missing' | 'wrong-length' | 'different'
  readonly collectionName: string
  readonly docId: string
}

/** The result for vectors that callers give. */
export interface GivenVectorCheck {
  /** Documents that were loaded with a vector. */
  readonly documents: number
  readonly vectors: number
  readonly differences: readonly GivenVectorDifference[]
}

interface GivenRow {
  readonly documents: string
  readonly vectors: string
  /** null: nothing is wrong. */
  readonly kind: GivenVectorDifference['kind'] | null
  readonly name: string
  readonly doc_id: string
}

/** Compares each vector with the hash of the given one, in one statement. */
export async function verifyGivenVectors(session: Pick<Session, 'rows'>): Promise<GivenVectorCheck> {
  const rows = await session.rows(sql<GivenRow>`
    with compared as (
      select d.id, d.doc_id, c.name, v.vectors is not null as has_vector,
        case
          when v.vectors is null or e.position is null then 'missing'
          when octet_length(v.vectors) is distinct from c.vector_length * 4 then 'wrong-length'
          when sha256(v.vectors) <> d.vector_hash then 'different'
        end as kind
      from docket_documents.document d
      join docket_documents.collection c
        on c.id = d.collection_id and c.removed_position is null and c.embeddings_model = ${callerModel}
      left join docket_documents.embedding_model m on m.is_caller
      left join docket_documents.document_embedding e on e.model_id = m.id and e.document_id = d.id
      left join docket_documents.chunk_embedding v on v.model_id = m.id and v.document_id = d.id and v.first_chunk = 0
      where d.removed_position is null and d.vector_hash is not null
    )
    select counted.*, wrong.kind, wrong.name, wrong.doc_id
    from (select count(*) as documents, count(*) filter (where has_vector) as vectors from compared) as counted
    left join compared as wrong on wrong.kind is not null order by wrong.id`)
  const [first] = rows
  return {
    documents: Number(first?.documents ?? 0),
    vectors: Number(first?.vectors ?? 0),
    differences: rows.flatMap(({ kind, name, doc_id }) =>
      kind === null ? [] : { kind, collectionName: name, docId: doc_id },
    ),
  }
}
