import type { Database } from '../database/database.ts'
import type { Worker } from '../jobs/worker-number.ts'
import { startLoop } from '../kernel/loop.ts'
import { type Result, succeed } from '../kernel/result.ts'
import type { ModelError } from './call-model.ts'
import { chunkInput, type Embedder } from './embedder.ts'
import {
  type DueDocument,
  makeEarlierDue,
  recordRejection,
  renewLeases,
  returnDue,
  takeDueDocuments,
  vectorLeaseSeconds,
} from './store/due-for-embedding.ts'
import {
  chunksOfRow,
  copyEqual,
  readInputs,
  readWrittenRows,
  type VectorRow,
  writeVectors,
} from './store/write-vectors.ts'

/** Makes the vectors of due documents in the background, in every process with the address. */
export interface VectorMaker {
  /** Checks for due documents now. */
  notify(): void
  /** Aborts the current request; its documents are due again. */
  close(): Promise<void>
}

export interface VectorMakerOptions {
  readonly database: Database
  readonly modelId: number
  readonly embedder: Embedder
  readonly worker: Pick<Worker, 'number'>
  readonly onError: (error: unknown) => void
}

/** Nothing notifies about documents of other processes and elapsed pauses, so this polls. */
const lookEveryMs = 5_000
/** While the address fails, requests are retried after 1, 2, 4 … 60 seconds. */
const longestPauseMs = 60_000

export function startVectorMaker(options: VectorMakerOptions): VectorMaker {
  let areEarlierDue = false
  const loop = startLoop({
    async turn(stopping) {
      if (!areEarlierDue) await makeEarlierDue(options.database, options.modelId)
      areEarlierDue = true
      try {
        while (!stopping.aborted && (await makeSome(options, stopping))) {
          // There may be more work.
        }
      } catch (error) {
        // A request that was aborted by the shutdown is not an error.
        if (!(stopping.aborted && error instanceof AddressFailed)) throw error
      }
    },
    everyMs: lookEveryMs,
    pauseMs: (failures) => Math.min(1_000 * 2 ** (failures - 1), longestPauseMs),
    onError: options.onError,
  })
  loop.notify()
  return { notify: loop.notify, close: loop.stop }
}

/** The address gave no result: not the fault of a document. */
class AddressFailed extends Error {}

/** @returns whether there were due documents */
async function makeSome(options: VectorMakerOptions, stop: AbortSignal): Promise<boolean> {
  const { database, modelId } = options
  const worker = options.worker.number()
  const due = await takeDueDocuments(database, modelId, worker, stop)
  if (due.length === 0) return false
  const taken = { worker, documentIds: due.map(({ documentId }) => documentId) }
  const renewing = startLoop({
    turn: () => renewLeases(database, modelId, taken),
    everyMs: (vectorLeaseSeconds * 1_000) / 3,
    onError: options.onError,
  })
  try {
    const different = await copyEqual(database, modelId, due)
    await makeRows({ ...options, stop, takenBy: worker, rejected: new Set() }, different)
    return true
  } finally {
    await renewing.stop()
    await returnDue(database, modelId, taken)
  }
}

/** One round of work. */
interface Round extends VectorMakerOptions {
  readonly stop: AbortSignal
  /** Number of this process when it took the documents. */
  readonly takenBy: number | null
  /** Documents that the model rejected: the rest of their texts is not sent. */
  readonly rejected: Set<number>
}

/** The texts of one row. */
interface RowToMake {
  readonly document: DueDocument
  readonly firstChunk: number
  readonly inputs: readonly string[]
  /** It completes the document: its rows are made in order. */
  readonly isLast: boolean
}

/** Rows of several documents share requests, so that short documents do not need one request each. */
async function makeRows(round: Round, due: readonly DueDocument[]): Promise<void> {
  let rows: RowToMake[] = []
  let texts = 0
  for await (const row of rowsToMake(round, due)) {
    rows.push(row)
    texts += row.inputs.length
    if (texts < round.embedder.textsOfRequest) continue
    await makeTogether(round, rows)
    rows = []
    texts = 0
  }
  await makeTogether(round, rows)
}

async function* rowsToMake(round: Round, due: readonly DueDocument[]): AsyncGenerator<RowToMake> {
  const { database, modelId, embedder } = round
  for (const document of due) {
    const { documentId, chunkCount, title } = document
    const written = await readWrittenRows(database, modelId, documentId)
    const lastRow = Math.max(Math.ceil(chunkCount / chunksOfRow) - 1, 0) * chunksOfRow
    for (let firstChunk = 0; firstChunk <= lastRow && !round.rejected.has(documentId); firstChunk += chunksOfRow) {
      const isLast = firstChunk === lastRow
      if (written.has(firstChunk) && !isLast) continue
      const chunks = await readInputs(database, documentId, firstChunk)
      const inputs = chunks.map((chunk) => chunkInput(embedder, { title, ...chunk }))
      yield { document, firstChunk, inputs, isLast }
    }
  }
}

async function makeTogether(round: Round, rows: readonly RowToMake[]): Promise<void> {
  if (rows.length === 0 || round.stop.aborted) return
  const made = await embedAll(
    round,
    rows.flatMap(({ inputs }) => inputs),
  )
  if (made.ok) return writeRows(round, rows, made.value)
  if (made.error.kind !== 'refused') throw new AddressFailed(`the embedding model: ${made.error.detail}`)
  const documents = Map.groupBy(rows, ({ document }) => document.documentId)
  // One of several documents is at fault: each one is sent separately.
  if (documents.size > 1) for (const own of documents.values()) await makeTogether(round, own)
  else
    for (const documentId of documents.keys()) {
      round.rejected.add(documentId)
      await recordRejection(round.database, round.modelId, { documentId, worker: round.takenBy }, made.error.detail)
    }
}

async function embedAll(
  { embedder, stop }: Round,
  texts: readonly string[],
): Promise<Result<readonly Float32Array[], ModelError>> {
  const vectors: Float32Array[] = []
  for (let from = 0; from < texts.length; from += embedder.textsOfRequest) {
    const some = await embedder.embed(texts.slice(from, from + embedder.textsOfRequest), {
      timeoutMs: embedder.timeoutMs,
      stop,
    })
    if (!some.ok) return some
    vectors.push(...some.value)
  }
  return succeed(vectors)
}

async function writeRows(
  { database, modelId }: VectorMakerOptions,
  rows: readonly RowToMake[],
  vectors: readonly Float32Array[],
): Promise<void> {
  let taken = 0
  const written = rows.map(({ document, firstChunk, inputs }): VectorRow => {
    const own = vectors.slice(taken, taken + inputs.length)
    taken += inputs.length
    return { documentId: document.documentId, firstChunk, vectors: own }
  })
  const whole = rows.filter(({ isLast }) => isLast).map(({ document }) => document)
  const fitting = await writeVectors(
    database,
    modelId,
    written.filter((row) => row.vectors.length > 0),
    whole,
  )
  if (!fitting)
    throw new AddressFailed(
      `the embedding model: its vectors have another length (${vectors[0]?.length}) than before; ` +
        'another model needs another DOCKET_EMBEDDINGS_MODEL',
    )
}
