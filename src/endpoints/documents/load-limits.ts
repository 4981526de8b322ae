import { documentLimits } from '../../documents/document-limits.ts'
import { defaultExtractionLimits } from '../../extraction/extraction-limits.ts'
import { defaultExtractorPoolOptions } from '../../extraction/process/extractor-pool.ts'
import type { Limit } from '../../http/endpoint/declare.ts'

type Line = readonly [name: string, value: number, unit: string, status: number]

const documents = documentLimits
const extraction = defaultExtractionLimits
const { maxMemoryMb, maxSeconds } = defaultExtractorPoolOptions

const lines: readonly Line[] = [
  ['file', documents.fileBytes, 'bytes', 413],
  ['text', documents.textBytes, 'bytes of UTF-8', 413],
  ['metadata', documents.metadataBytes, 'bytes of JSON', 422],
  ['text with a vector', documents.textWithVectorUnits, 'UTF-16 units', 422],
  ['vector', documents.vectorNumbers, 'numbers', 422],
  ['metadata keys', documents.metadataKeys, 'keys', 422],
  ['doc_id', documents.docIdBytes, 'bytes of UTF-8', 422],
  ['file name', documents.fileNameUnits, 'UTF-16 units', 422],
  ['collection_name', documents.collectionNameUnits, 'UTF-16 units', 400],
  ['text of a file', extraction.maxTextUnits, 'UTF-16 units', 422],
  ['pages, slides or sheets of a file', extraction.maxPages, 'pages', 422],
  ['entries of an archive', extraction.maxArchiveEntries, 'entries', 422],
  ['unpacked archive', extraction.maxArchiveBytes, 'bytes', 422],
  ['unpacked to packed bytes of an archive entry', extraction.maxArchiveRatio, 'times', 422],
  ['memory for reading a file', maxMemoryMb, 'MB', 422],
  ['time for reading a file', maxSeconds, 'seconds', 422],
]

/** Limits of loaded documents, both texts and files. */
export const LOAD_LIMITS: readonly Limit[] = lines.map(([name, value, unit, status]) => ({ name, value, unit, status }))
