import { type EncodedText, encodeText } from '../kernel/encoded-text.ts'
import { parseExactJson } from '../kernel/exact-json.ts'
import type { IgnoredNames } from './translate/translate-request.ts'

/** A record as the Table API shows it: values by field. Numbers that a double cannot hold are `LongNumber`. */
export type Row = Readonly<Record<string, unknown>>

/**
 * Records as PostgreSQL wrote them. Endpoints send the bytes as they are; programs read the rows.
 */
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
  /** The table's name in the dictionary, whatever the request called it. */
  readonly table: string
  /** The request names a view that is not there; all columns are shown. */
  readonly ignoresView: boolean
  /** Of a request in the words of another API: names that stand for nothing. */
  readonly ignored?: IgnoredNames
}

/** A page of a list, or of the groups of an aggregate request. */
export interface RecordPage extends OfTable {
  readonly kind: 'page'
  readonly records: RecordJson
  /** Records of all pages; null: not counted, or more than `totalOver`. */
  readonly total: number | null
  /** There are more records than this, and they are not counted. */
  readonly totalOver: number | null
  readonly hasMore: boolean
  /** Cursor of the next page; null: there is none. */
  readonly next: string | null
  /** Rows of a page. */
  readonly limit: number
  /** Keys of fields whose texts were cut in some record. */
  readonly cut?: readonly string[]
  /** The request asks for more rows than a page may have. */
  readonly isClamped: boolean
}

/** One record that was read or written. */
export interface OneRecord extends OfTable {
  readonly kind: 'record'
  /** It alone. */
  readonly records: RecordJson
  /** Changes with what the caller may see of the record; null: they may not read it. */
  readonly version: string | null
  /** As the API of the request writes it. */
  readonly sysId: string
  /** JSON text of what the caller may do with it, if that is wanted. */
  readonly rights?: string
  /** Kept from an earlier request, and not yet checked against the rights of now. */
  readonly isReplay?: true
}

export interface DeletedRecord extends OfTable {
  readonly kind: 'deleted'
  readonly count: number
}

export type RecordResult = RecordPage | OneRecord | DeletedRecord
