import { LRUCache } from 'lru-cache'
import { readVersion } from '../../config/version.ts'
import { type ApiPart, writeOpenApi } from '../../http/openapi/write-openapi.ts'
import type { Principal } from '../../identity/principal.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { visibleTables } from '../../records/rights/visible-tables.ts'
import { anyTablePart, tablesPart } from '../records/describe-tables.ts'

/** Cached documents: one of 50 tables takes about 500 KB, and most callers of a desk share a few role sets. */
const maxDocuments = 16

type FaceDocument = (version: string, baseUrl: string) => string

/** Cache of generated documents. */
export class OpenApiDocuments {
  readonly #texts = new LRUCache<string, string>({ max: maxDocuments })
  readonly #version = readVersion()
  readonly #parts: readonly ApiPart[]

  readonly #faceDocument: FaceDocument | null

  /**
   * @param parts all operations except those of the Table API
   * @param faceDocument writes the document of another API over the same records; null: it is off
   */
  constructor(parts: readonly ApiPart[], faceDocument: FaceDocument | null) {
    this.#parts = parts
    this.#faceDocument = faceDocument
  }

  ofFace(baseUrl: string): string | null {
    const write = this.#faceDocument
    return write === null ? null : this.#kept(`now|${baseUrl}`, () => write(this.#version, baseUrl))
  }

  generic(baseUrl: string): string {
    return this.#kept(`|${baseUrl}`, () => genericDocument(this.#parts, this.#version, baseUrl))
  }

  async ofCaller(records: RecordDeps, principal: Principal, baseUrl: string): Promise<string> {
    const catalog = await currentCatalog(records)
    const { language, roleKey } = principal
    return this.#kept(`${catalog.epoch}|${language}|${roleKey}|${baseUrl}`, () => {
      const tables = visibleTables(catalog, records.accessFor(catalog, principal))
      const parts = [tablesPart(tables, language), ...this.#parts]
      return JSON.stringify(writeOpenApi({ version: this.#version, baseUrl }, parts))
    })
  }

  #kept(key: string, write: () => string): string {
    const known = this.#texts.get(key) ?? write()
    this.#texts.set(key, known)
    return known
  }
}

/** The document without tables, as in docs/openapi.json. */
export function genericDocument(parts: readonly ApiPart[], version: string, baseUrl = ''): string {
  return `${JSON.stringify(writeOpenApi({ version, baseUrl }, [anyTablePart(), ...parts]), null, 1)}\n`
}

async function currentCatalog({ catalog }: RecordDeps): ReturnType<RecordDeps['catalog']['refresh']> {
  const known = await catalog.current()
  return (await catalog.isCurrent(known)) ? known : catalog.refresh()
}
