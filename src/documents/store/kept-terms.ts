import { hash } from 'node:crypto'
import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import { sql } from '../../kernel/sql.ts'
import { readableTerms, termsMadeAs } from '../../search-engine/segments/packed-terms.ts'
import type { KeptTerms, StoredTerms } from '../../search-engine/segments/stored-terms.ts'

/** One row: for documents of a few chunks, what the driver makes for each row would cost more than reading the terms. */
const READ_TERMS = {
  ...selectStatement<{ readonly ids: string | null; readonly lengths: string | null; readonly terms: Buffer | null }>({
    name: 'read-terms',
    columns: {
      ids: `string_agg(document_id::text, ',')`,
      lengths: `string_agg(octet_length(terms)::text, ',')`,
      terms: `string_agg(terms, '')`,
    },
    from: `from docket_documents.document_terms where document_id = any ($1::bigint[]) and made_as = any ($2::text[])`,
  }),
  bytesAt: 2,
}

/**
 * @param documentIds their terms have at most a gigabyte together: those of a batch
 * @returns those that this version can read, in any order
 */
export async function readTerms(session: Session, documentIds: readonly number[]): Promise<StoredTerms> {
  const [row] = await selectRows(session, READ_TERMS, [documentIds, readableTerms])
  const terms = row?.terms ?? new Uint8Array(0)
  const bytes = new Uint8Array(new SharedArrayBuffer(terms.length))
  bytes.set(terms)
  const ends = Uint32Array.from(row?.lengths?.split(',') ?? [], Number)
  for (let at = 1; at < ends.length; at++) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0)
  return { documentIds: Float64Array.from(row?.ids?.split(',') ?? [], Number), ends, bytes }
}

/**
 * Stores terms that were computed from texts, and replaces stored ones of the same documents. A document that was
 * cleaned up meanwhile is not added again: its row is locked until its terms are stored.
 */
export async function keepTerms(session: Session, kept: readonly KeptTerms[]): Promise<void> {
  if (kept.length === 0) return
  await session.run(KEEP_TERMS, [termsMadeAs, ...joinedTerms(kept)])
}

/** Of the given terms, those that are not stored or are stored differently: only checksums are sent. */
export async function notKept(session: Session, made: readonly KeptTerms[]): Promise<readonly KeptTerms[]> {
  const rows = await session.rows(sql<{ document_id: string; hash: string }>`
    select document_id, encode(sha256(terms), 'hex') as hash from docket_documents.document_terms
    where document_id = any (${made.map(({ documentId }) => documentId)}::bigint[]) and made_as = ${termsMadeAs}`)
  const hashes = new Map(rows.map((row) => [Number(row.document_id), row.hash]))
  return made.filter(({ documentId, bytes }) => hashes.get(documentId) !== hash('sha256', bytes))
}

/** The terms of several documents as values of three parameters: an array of bytes would be sent as hexadecimal text. */
export function joinedTerms(kept: readonly KeptTerms[]): readonly [Buffer, readonly number[], readonly number[]] {
  const bytes = Buffer.concat(kept.map((each) => each.bytes))
  return [bytes, kept.map(({ documentId }) => documentId), kept.map((each) => each.bytes.length)]
}

/** The rows of `joinedTerms`: `document_id` and `terms`. */
export function splitTerms(bytes: string, documentIds: string, lengths: string): string {
  return `(
    select j.document_id, substring(${bytes}::bytea from (sum(j.length) over (order by j.place) - j.length + 1)::integer for j.length) as terms
    from unnest(${documentIds}::bigint[], ${lengths}::integer[]) with ordinality as j (document_id, length, place)
  )`
}

const KEEP_TERMS = {
  name: 'keep-terms',
  text: `
    insert into docket_documents.document_terms (document_id, made_as, terms)
    select own.id, $1, k.terms from ${splitTerms('$2', '$3', '$4')} as k
    join docket_documents.document own on own.id = k.document_id
    order by own.id
    for key share of own
    on conflict (document_id) do update set made_as = excluded.made_as, terms = excluded.terms
    where document_terms.made_as <> excluded.made_as or document_terms.terms <> excluded.terms`,
}
