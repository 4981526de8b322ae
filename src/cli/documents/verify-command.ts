import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { objectStoreOf } from '../../config/object-store-of.ts'
import { readSettings } from '../../config/settings.ts'
import type { Database } from '../../database/database.ts'
import { documentFolders } from '../../documents/document-folders.ts'
import { readDocumentNames } from '../../documents/maintenance/index-checks.ts'
import { type FileCheck, removeOrphans, verifyFiles } from '../../documents/maintenance/verify-files.ts'
import { verifyGivenVectors } from '../../documents/maintenance/verify-given-vectors.ts'
import { verifySource } from '../../documents/maintenance/verify-source.ts'
import type { BlobStore } from '../../documents/store/blob-store.ts'
import { openBlobStore } from '../../documents/store/open-blob-store.ts'
import { verifyStoredVectors } from '../../embeddings/verify-stored-vectors.ts'
import { systemClock } from '../../kernel/clock.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { withDatabase } from '../with-database.ts'
import { type CheckedIndex, checkIndexes } from './check-indexes.ts'
import { type Compared, inUnits, printCompared } from './print-differences.ts'
import { showProgress } from './show-progress.ts'

interface VerifyOptions {
  readonly quick?: true
  readonly removeOrphans?: true
}

/** `docket documents verify` */
export function registerVerify(documents: Command): void {
  documents
    .command('verify')
    .description('compare PostgreSQL with the files and with the index of every process; exit code 1 when they differ')
    .option('--quick', 'compare the sizes of files, without reading them')
    .option('--remove-orphans', 'remove files that the database does not know')
    .action(async (options: VerifyOptions) => {
      const isSound = await withDatabase((database) => verify(database, options), { statementTimeoutMs: 0 })
      if (!isSound) process.exitCode = 1
    })
}

async function verify(database: Database, options: VerifyOptions): Promise<boolean> {
  const report = (compared: readonly Compared[]): boolean => printCompared(compared, (line) => console.log(line))
  const isTrue = report([await compareSource(database)])
  const areKept = report([await compareFiles(database, options)])
  const areStored = report(await compareStoredVectors(database))
  const areIndexed = report(await compareIndexes(database, await checkIndexes(database, { repairs: false })))
  return isTrue && areKept && areStored && areIndexed
}

async function compareSource(database: Database): Promise<Compared> {
  const { documents, chunks, differences } = await verifySource(database)
  return {
    what: `database: ${documents} documents, ${chunks} chunks`,
    wrong: differences.map(({ kind, collectionName, docId, documentId }) =>
      kind === 'incomplete'
        ? `incomplete  ${collectionName}: ${docId}`
        : `chunks without their document  (number ${documentId})`,
    ),
    count: differences.length,
    cure: 'Load these documents again; what they lost is not in the database any more.',
  }
}

/** A younger file may belong to a load in progress. */
const orphanedAfterMs = 60 * 60_000

async function compareFiles(database: Database, { quick, removeOrphans: removes }: VerifyOptions): Promise<Compared> {
  const blobs = openBlobs()
  const progress = showProgress({ unit: 'files', total: null, out: process.stderr })
  let check: FileCheck
  try {
    check = await verifyFiles(database, {
      blobs,
      readsBytes: quick !== true,
      orphanedBefore: new Date(systemClock.nowMs() - orphanedAfterMs),
      onProgress: (done, of) => progress.reach(done, of),
    })
  } finally {
    progress.end()
  }
  const removed = removes === true ? await removeOrphans(blobs, check) : 0
  if (removed > 0) console.log(`files: ${removed} orphaned removed`)
  const left = check.differences.filter(({ kind }) => removes !== true || kind !== 'orphaned')
  return {
    what: `files: ${check.files} files, ${inUnits(check.bytes)}`,
    wrong: left.map(({ kind, hash, size, collectionName, docId }) =>
      kind === 'orphaned' ? `orphaned  ${hash}, ${inUnits(size)}` : `${kind}  ${collectionName}: ${docId} (${hash})`,
    ),
    count: left.length,
    cure: left.some(({ kind }) => kind !== 'orphaned')
      ? 'Load these documents again, or put their files back from a backup; searches find their texts all the same.'
      : 'Remove them: docket documents verify --remove-orphans',
  }
}

function openBlobs(): BlobStore {
  const settings = readSettings()
  const { fileFolder } = documentFolders(resolve(settings.dataDir))
  const objectStore = objectStoreOf(settings)
  if (objectStore === null && !existsSync(fileFolder))
    throw new StartFailure(
      `There is no folder ${fileFolder}: set DOCKET_DATA_DIR to that of the server, or DOCKET_S3_… as the server has them.`,
    )
  return openBlobStore({ objectStore, fileFolder, scratchFolder: tmpdir(), clock: systemClock })
}

/** A line for each model; none if there never was one. */
export async function compareStoredVectors(database: Database): Promise<readonly Compared[]> {
  const { models, orphans } = await verifyStoredVectors(database)
  const compared: Compared[] = models.map(({ modelName, documents, vectors, due, givenUp, differences }) => {
    const unmade = [...(due > 0 ? [`${due} due`] : []), ...(givenUp > 0 ? [`${givenUp} given up`] : [])]
    return {
      what: [`vectors of ${modelName}: ${documents} documents`, `${vectors} vectors`, ...unmade].join(', '),
      wrong: differences.map(({ kind, collectionName, docId }) => `${kind}  ${collectionName}: ${docId}`),
      count: differences.length,
      cure: haveVectorsMade,
    }
  })
  compared.push(...(await compareGivenVectors(database)))
  if (orphans.length === 0) return compared
  const left = {
    what: 'vectors of nothing',
    wrong: orphans.map(({ modelId, documentId }) => `without document or model  (${documentId}, ${modelId})`),
    count: orphans.length,
    cure: haveVectorsMade,
  }
  return [...compared, left]
}

/** None if no document has a vector given by a caller. */
async function compareGivenVectors(database: Database): Promise<readonly Compared[]> {
  const { documents, vectors, differences } = await verifyGivenVectors(database)
  if (documents === 0) return []
  return [
    {
      what: `vectors of callers: ${documents} documents, ${vectors} vectors`,
      wrong: differences.map(({ kind, collectionName, docId }) => `${kind}  ${collectionName}: ${docId}`),
      count: differences.length,
      cure: 'Load these documents again with their vectors; searches find their words all the same.',
    },
  ]
}

const haveVectorsMade = 'Rebuild them: docket documents reindex'

/** @param verb what was done, beside the comparison */
export async function compareIndexes(
  database: Database,
  checked: readonly CheckedIndex[],
  verb = '',
): Promise<readonly Compared[]> {
  const compared = await Promise.all(
    checked.map(async (each) => [await compareIndex(database, each, verb), ...(await compareVectors(database, each))]),
  )
  return compared.flat()
}

const rebuild = 'Rebuild it: docket documents reindex'

async function compareVectors(database: Database, { whose, outcome }: CheckedIndex): Promise<readonly Compared[]> {
  if (outcome.kind !== 'checked' || outcome.vectors === null) return []
  const { documents, vectors, differences, examples } = outcome.vectors
  return [
    {
      what: `vectors ${whose}: ${documents} documents, ${vectors} vectors`,
      wrong: await namesOf(database, examples),
      count: differences,
      cure: rebuild,
    },
  ]
}

async function compareIndex(database: Database, { whose, outcome }: CheckedIndex, verb: string): Promise<Compared> {
  const cure = rebuild
  const name = `index ${whose}`
  if (outcome.kind === 'gone')
    return { what: name, wrong: ['the process ended before it had finished'], count: 1, cure: 'Run the command again.' }
  if (outcome.kind === 'failed') return { what: name, wrong: [`it failed: ${outcome.error}`], count: 1, cure }
  const { documents, chunks, differences, examples } = outcome.check
  return {
    what: `${name}: ${verb}${documents} documents, ${chunks} chunks`,
    wrong: await namesOf(database, examples),
    count: differences,
    cure,
  }
}

async function namesOf(
  database: Database,
  examples: readonly { readonly kind: string; readonly documentId: number }[],
): Promise<readonly string[]> {
  const names = await readDocumentNames(
    database,
    examples.map(({ documentId }) => documentId),
  )
  return examples.map(
    ({ kind, documentId }) => `${kind}  ${names.get(documentId) ?? `(number ${documentId}, cleared away)`}`,
  )
}
