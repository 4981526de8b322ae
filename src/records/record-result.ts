import { type EncodedText, encodeText } from '../kernel/encoded-text.ts'
import { parseExactJson } from '../kernel/exact-json.ts'
import type { IgnoredNames } from './translate/translate-request.ts'

/** A record as the Table API returns it: values by field. Numbers that a double cannot hold are `LongNumber`. */
export type Row = Readonly<Record<string, unknown>>

/** Records as JSON from PostgreSQL. Endpoints send the bytes unchanged; other modules read the rows. */
export class RecordJson {
  /** A JSON array of objects. */
  readonly encoded: EncodedText

  constructor(json: string | EncodedText) {
    this.encoded = typeof json === 'string' ? encodeText(json) : json
  }

  get text(): string {
    return this.encoded.toString()
  }

  rows(): readonly Row[] {
    return parseExactJson(this.text) as readonly Row[]
  }
}

interface OfTable {
  /** Name of the table in the dictionary; the request may have used another one. */
  readonly table: string
  /** The requested view does not exist, so all columns are returned. */
  readonly ignoresView: boolean
  /** For a request of another API: its names that do not exist. */
  readonly ignored?: IgnoredNames
}

/** A page of a list, or of the groups of an aggregate request. */
export interface RecordPage extends OfTable {
  readonly kind: 'page'
  readonly records: RecordJson
  /** Records of all pages; null: not counted, or more than `totalOver`. */
  readonly total: number | null
  /** There are more records than this; null: the total is known, or was not requested. */
  readonly totalOver: number | null
  readonly hasMore: boolean
  /** Cursor of the next page; null: there is none. */
  readonly next: string | null
  /** Maximum rows of a page. */
  readonly limit: number
  /** Keys of the fields whose text was cut in at least one record. */
  readonly cut?: readonly string[]
  /** Of a list or an aggregate of the log, UTC: earlier changes of at least one of its tables are removed; null or left out: none are. */
  readonly removedBefore?: string | null
  /** The request asks for more rows than a page may have. */
  readonly isClamped: boolean
}

/** One record that was read or written. */
export interface OneRecord extends OfTable {
  readonly kind: 'record'
  /** An array of this record only. */
  readonly records: RecordJson
  /** Changes when the part of the record changes that the caller may see; null: they may not read it. */
  readonly version: string | null
  /** In the format of the API of the request. */
  readonly sysId: string
  /** JSON text of what the caller may do with the record, if requested. */
  readonly rights?: string
  /** Stored by an earlier request, and not yet checked against the current rights. */
  readonly isReplay?: true
}

export interface DeletedRecord extends OfTable {
  readonly kind: 'deleted'
  readonly count: number
}

export type RecordResult = RecordPage | OneRecord | DeletedRecord
