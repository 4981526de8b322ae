import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { Pooling } from './pool-vectors.ts'

/** A model folder in the layout of Hugging Face: config.json, tokenizer.json, and the weights as ONNX. */
export interface ModelFolder {
  /** Absolute. */
  readonly path: string
  /** Name of the folder, with a hash of its content. */
  readonly name: string
  /** Subfolder of the weights: `onnx`, or '' for the folder itself. */
  readonly subfolder: string
  /** Precision of the weights, in the terms of the package. */
  readonly dtype: string
  /** Additional files of weights, for large models. */
  readonly dataFiles: number
  readonly pooling: Pooling
  /** Longer texts are truncated. */
  readonly maxTokens: number
  /** The prefixes for texts and queries that the model declares; '' for none. */
  readonly textPrefix: string
  readonly queryPrefix: string
}

/** Weight files by their ending, in order of precision, highest first. */
const weights: readonly (readonly [ending: string, dtype: string])[] = [
  ['', 'fp32'],
  ['_quantized', 'q8'],
  ['_int8', 'int8'],
  ['_uint8', 'uint8'],
  ['_fp16', 'fp16'],
  ['_q4', 'q4'],
  ['_q4f16', 'q4f16'],
  ['_bnb4', 'bnb4'],
]

/**
 * Inspects the folder without loading the model.
 *
 * @param pooling null: the default of the model
 * @throws StartFailure that says what is missing
 */
export async function readModelFolder(path: string, pooling: Pooling | null): Promise<ModelFolder> {
  const folder = resolve(path)
  const inFolder = await filesIn(folder)
  if (inFolder === undefined) throw unfit(folder, 'there is no such folder')
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json'])
    if (!inFolder.has(file)) throw unfit(folder, `it has no ${file}`)
  const inOnnx = await filesIn(join(folder, 'onnx'))
  const subfolder = inOnnx === undefined ? '' : 'onnx'
  const files = inOnnx ?? inFolder
  const found = weights.find(([ending]) => files.has(`model${ending}.onnx`))
  if (found === undefined)
    throw unfit(folder, 'it has no onnx/model.onnx, nor one of the smaller ones (model_quantized.onnx …)')
  const [ending, dtype] = found
  const data = [...files].filter((file) => file.startsWith(`model${ending}.onnx_data`)).sort()
  const own = await readOwnSettings(folder, inFolder)
  const chosen = pooling ?? own.pooling
  const hash = createHash('sha256').update(`${chosen} ${own.maxTokens} ${dtype}`)
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) await add(hash, join(folder, file))
  for (const file of [`model${ending}.onnx`, ...data]) await add(hash, join(folder, subfolder, file))
  return {
    path: folder,
    name: `${basename(folder)}@${hash.digest('hex').slice(0, 12)}`,
    subfolder,
    dtype,
    dataFiles: data.length,
    ...own,
    pooling: chosen,
  }
}

function unfit(folder: string, why: string): StartFailure {
  return new StartFailure(`DOCKET_EMBEDDINGS_FOLDER is ${folder}, which holds no model that can be used: ${why}.`, {
    exitCode: 2,
  })
}

async function filesIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set(await readdir(folder))
  } catch {
    return undefined
  }
}

async function add(hash: Hash, file: string): Promise<void> {
  await pipeline(createReadStream(file), hash, { end: false })
}

// ── settings of the model ──

const Config = z.object({ model_type: z.string().optional(), max_position_embeddings: z.number().optional() })
const TokenizerConfig = z.object({ model_max_length: z.number().optional() })
const SentenceConfig = z.object({ max_seq_length: z.number().nullish() })
const PoolingConfig = z.object({
  pooling_mode_cls_token: z.boolean().optional(),
  pooling_mode_mean_tokens: z.boolean().optional(),
  pooling_mode_lasttoken: z.boolean().optional(),
})
const Prompts = z.object({ prompts: z.record(z.string(), z.string()).nullish() })

type OwnSettings = Pick<ModelFolder, 'pooling' | 'maxTokens' | 'textPrefix' | 'queryPrefix'>

async function readOwnSettings(folder: string, files: ReadonlySet<string>): Promise<OwnSettings> {
  const read = async <S extends z.ZodType>(file: string, schema: S): Promise<z.output<S> | null> => {
    const text = await readFile(join(folder, file), 'utf8').catch(() => null)
    return text === null ? null : parse(folder, file, text, schema)
  }
  const config = await read('config.json', Config)
  const tokenizer = await read('tokenizer_config.json', TokenizerConfig)
  const sentence = files.has('sentence_bert_config.json')
    ? await read('sentence_bert_config.json', SentenceConfig)
    : null
  const { prompts } = (await read('config_sentence_transformers.json', Prompts)) ?? {}
  return {
    pooling: poolingOf(await read('1_Pooling/config.json', PoolingConfig)),
    maxTokens: maxTokensOf([
      sentence?.max_seq_length ?? null,
      tokenizer?.model_max_length ?? null,
      positionsOf(config),
    ]),
    textPrefix: (prompts?.['document'] ?? prompts?.['passage'] ?? '').trim(),
    queryPrefix: (prompts?.['query'] ?? '').trim(),
  }
}

function parse<S extends z.ZodType>(folder: string, file: string, text: string, schema: S): z.output<S> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw unfit(folder, `its ${file} is not JSON`)
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw unfit(folder, `its ${file} is not as such files are`)
  return parsed.data
}

function poolingOf(config: z.output<typeof PoolingConfig> | null): Pooling {
  if (config?.pooling_mode_cls_token === true) return 'cls'
  return config?.pooling_mode_lasttoken === true ? 'last_token' : 'mean'
}

/** Models of the RoBERTa family count positions from 2. */
function positionsOf(config: z.output<typeof Config> | null): number | null {
  const { model_type: type = '', max_position_embeddings: positions } = config ?? {}
  if (positions === undefined) return null
  return /roberta|camembert|mpnet/.test(type) ? positions - 2 : positions
}

/** A tokenizer without a limit states a number of thirty digits. */
const maxTokens = 8_192

function maxTokensOf(limits: readonly (number | null)[]): number {
  return Math.min(maxTokens, ...limits.filter((limit) => limit !== null && limit > 0).map(Number))
}
