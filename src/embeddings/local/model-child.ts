/** The process with a model: texts in, vectors out, no network. Started by `local-model.ts` only. */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { forbidNetwork } from '../../processes/forbid-network.ts'
import type { ModelOrder, ModelReport } from './model-messages.ts'
import { type Pooling, poolVectors, unitVector } from './pool-vectors.ts'
import type { ModelFolder } from './read-model-folder.ts'

forbidNetwork()

/** The part of @huggingface/transformers that we use; the package is an optional installation. */
interface Transformers {
  readonly env: Record<string, unknown>
  readonly AutoTokenizer: { from_pretrained(name: string, options: object): Promise<Tokenize> }
  readonly AutoModel: { from_pretrained(name: string, options: object): Promise<RunModel> }
}
interface Tensor {
  readonly data: ArrayLike<number | bigint>
  readonly dims: readonly number[]
  to(type: 'float32'): Tensor
}
type Inputs = Readonly<Record<string, Tensor>>
type Tokenize = (texts: readonly string[], options: object) => Inputs
type RunModel = (inputs: Inputs) => Promise<Readonly<Record<string, Tensor | undefined>>>

interface Loaded {
  readonly tokenize: Tokenize
  readonly run: RunModel
  readonly folder: ModelFolder
}

async function load({ packageEntry, folder, threads }: ModelOrder & { kind: 'load' }): Promise<Loaded> {
  const { env, AutoTokenizer, AutoModel } = createRequire(packageEntry)(packageEntry) as Transformers
  // No downloads, and no files are written.
  Object.assign(env, {
    allowRemoteModels: false,
    allowLocalModels: true,
    localModelPath: dirname(folder.path),
    useFSCache: false,
    useBrowserCache: false,
    cacheDir: null,
  })
  const local = { local_files_only: true }
  // An absolute path: a name below localModelPath must look like a name of Hugging Face.
  const tokenize = await AutoTokenizer.from_pretrained(folder.path, local)
  const run = await AutoModel.from_pretrained(folder.path, {
    ...local,
    device: 'cpu',
    dtype: folder.dtype,
    subfolder: folder.subfolder,
    ...(folder.dataFiles > 0 ? { use_external_data_format: folder.dataFiles } : {}),
    session_options: {
      intraOpNumThreads: threads,
      // Spinning threads would take processor time from requests.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    },
  })
  return { tokenize, run, folder }
}

async function embed({ tokenize, run, folder }: Loaded, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const inputs = tokenize(texts, { padding: true, truncation: true, max_length: folder.maxTokens })
  const outputs = await run(inputs)
  const whole = outputs['sentence_embedding']
  if (whole !== undefined) return rowsOf(whole.to('float32'))
  const byToken = outputs['last_hidden_state'] ?? outputs['token_embeddings']
  if (byToken === undefined) throw new Error(`the model gives no vectors, but ${Object.keys(outputs).join(', ')}`)
  return pool(byToken.to('float32'), inputs['attention_mask'], folder.pooling)
}

function rowsOf({ data, dims }: Tensor): readonly Float32Array[] {
  const [texts = 0, length = 0] = dims
  const numbers = data as ArrayLike<number>
  return Array.from({ length: texts }, (_, text) =>
    unitVector(Array.from({ length }, (_, at) => numbers[text * length + at] ?? 0)),
  )
}

function pool({ data, dims }: Tensor, mask: Tensor | undefined, pooling: Pooling): readonly Float32Array[] {
  const [texts = 0, tokens = 0, length = 0] = dims
  const isToken = (text: number, token: number): boolean => Number(mask?.data[text * tokens + token] ?? 1) === 1
  return poolVectors({ numbers: data as ArrayLike<number>, texts, tokens, length }, isToken, pooling)
}

// ── communication with the server ──

const report = (message: ModelReport): void => void process.send?.(message)
let loaded: Loaded | undefined

process.on('message', (order: ModelOrder) => {
  if (order.kind === 'load')
    load(order).then(
      (found) => {
        loaded = found
        report({ kind: 'loaded' })
      },
      (error: unknown) => report({ kind: 'not-loaded', detail: wordsOf(error) }),
    )
  else
    respond(order.id, order.texts).catch((error: unknown) =>
      report({ kind: 'refused', id: order.id, detail: wordsOf(error) }),
    )
})

async function respond(id: number, texts: readonly string[]): Promise<void> {
  if (loaded === undefined) throw new Error('no model is loaded')
  const vectors = await embed(loaded, texts)
  const length = vectors[0]?.length ?? 0
  const numbers = new Float32Array(vectors.length * length)
  for (const [at, vector] of vectors.entries()) numbers.set(vector, at * length)
  report({ kind: 'embedded', id, numbers, length })
}

function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500)
}

// The server is gone: nobody waits for vectors.
process.on('disconnect', () => process.exit(0))
