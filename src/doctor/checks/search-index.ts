import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { documentFolders } from '../../documents/document-folders.ts'
import { readDocumentNames } from '../../documents/maintenance/index-checks.ts'
import { verifyGivenVectors } from '../../documents/maintenance/verify-given-vectors.ts'
import { openLexicalIndex } from '../../documents/sync/open-lexical-index.ts'
import { verifyStoredVectors } from '../../embeddings/verify-stored-vectors.ts'
import { countOf } from '../../kernel/count-of.ts'
import { isSaved } from '../../search-engine/segments/has-saved-index.ts'
import { type Check, type DatabaseGround, type Examined, type Finding, listNames } from '../check.ts'

const cure = 'docket documents reindex'

/**
 * The index that is kept in the data directory, held against the documents. It is opened as a copy: following the change log
 * writes. What running servers hold in memory is compared by `docket documents verify`.
 */
export const checkSearchIndex: Check<DatabaseGround> = {
  name: 'search index',
  async run(ground) {
    const { indexFolder } = documentFolders(resolve(ground.settings.dataDir))
    const vectors = await compareVectors(ground)
    if (!isSaved(indexFolder)) return { summary: 'none is kept here yet', findings: vectors }
    if (!ground.isThorough) return { summary: 'is kept; --thorough compares it', findings: vectors }
    const { summary, findings } = await compareIndex(ground, indexFolder)
    return { summary, findings: [...findings, ...vectors] }
  },
}

async function compareVectors({ database }: DatabaseGround): Promise<readonly Finding[]> {
  const { models, orphans } = await verifyStoredVectors(database)
  const given = await verifyGivenVectors(database)
  const names = [...models, given].flatMap(({ differences }) =>
    differences.map(({ collectionName, docId }) => `${collectionName}: ${docId}`),
  )
  const count = names.length + orphans.length
  if (count === 0) return []
  const what = countOf(
    count,
    'document has vectors that are not those of its text, or not those that were given',
    'documents have vectors that are not those of their texts, or not those that were given',
  )
  return [{ fault: 'index-differs', what, where: names.length === 0 ? 'vectors' : listNames(names), cure }]
}

async function compareIndex({ database, clock }: DatabaseGround, folder: string): Promise<Examined> {
  const scratch = await mkdtemp(join(tmpdir(), 'docket-doctor-'))
  const errors: unknown[] = []
  try {
    await cp(folder, scratch, { recursive: true })
    const onError = (error: unknown): void => void errors.push(error)
    const index = openLexicalIndex({ database, folder: scratch, clock, onError })
    try {
      await index.whenReady()
      const { documents, differences, examples } = await index.verify()
      const summary = countOf(documents, 'document compared', 'documents compared')
      const names = await readDocumentNames(
        database,
        examples.map(({ documentId }) => documentId),
      )
      const what = countOf(differences, 'document differs in the search index', 'documents differ in the search index')
      const where = listNames(examples.map(({ documentId }) => names.get(documentId) ?? `number ${documentId}`))
      return { summary, findings: differences === 0 ? [] : [{ fault: 'index-differs', what, where, cure }] }
    } finally {
      await index.close()
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
