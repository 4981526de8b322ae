import { z } from 'zod'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { callModel, type ModelAddress, type ModelError } from './call-model.ts'
import type { Embedder, EmbedOptions } from './embedder.ts'

/** An address with the protocol of OpenAI's `/v1/embeddings`, such as Ollama, vLLM, TEI and LM Studio. */
export interface EmbeddingsAddress extends ModelAddress {
  readonly model: string
  /** Requested dimensions of a vector; null: the default of the model. */
  readonly dimensions: number | null
  /** Maximum number of texts per request. */
  readonly textsOfRequest: number
  /** For a request with texts of documents. */
  readonly timeoutMs: number
  /** For the single text of a search, whose caller waits. */
  readonly queryTimeoutMs: number
  /** Prefixes that some models need: for texts of documents, and for queries; '' for none. */
  readonly textPrefix: string
  readonly queryPrefix: string
}

const EmbeddingsResponse = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()) })),
})

/** Maximum length of a number of a vector in JSON, and the maximum dimensions of any model. */
const bytesOfNumber = 32
const maxNumbers = 16_384

async function embedTexts(
  address: EmbeddingsAddress,
  texts: readonly string[],
  { timeoutMs, stop }: EmbedOptions,
): Promise<Result<readonly Float32Array[], ModelError>> {
  const { model, dimensions } = address
  const response = await callModel(address, {
    body: { model, input: texts, encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) },
    timeoutMs,
    ...(stop === undefined ? {} : { stop }),
    maxResponseBytes: 65_536 + texts.length * (dimensions ?? maxNumbers) * bytesOfNumber,
  })
  if (!response.ok) return response
  const parsed = EmbeddingsResponse.safeParse(response.value)
  if (!parsed.success) return wrong('its answer has no data with embeddings')
  return vectorsOf(parsed.data.data, texts.length, dimensions)
}

function vectorsOf(
  data: z.output<typeof EmbeddingsResponse>['data'],
  count: number,
  dimensions: number | null,
): Result<readonly Float32Array[], ModelError> {
  if (data.length !== count) return wrong(`it gave ${data.length} vectors for ${count} texts`)
  const vectors: Float32Array[] = []
  const length = dimensions ?? data[0]?.embedding.length ?? 0
  for (const [at, { index = at, embedding }] of data.entries()) {
    if (embedding.length !== length || length === 0 || length > maxNumbers)
      return wrong(`it gave a vector of ${embedding.length} numbers where ${length} were expected`)
    if (index < 0 || index >= count || vectors[index] !== undefined)
      return wrong(`it gave the index ${index} for one of ${count} texts`)
    const vector = Float32Array.from(embedding)
    if (!vector.every(Number.isFinite)) return wrong('it gave a number that is too large')
    vectors[index] = vector
  }
  return succeed(vectors)
}

function wrong(detail: string): Result<never, ModelError> {
  return fail({ kind: 'wrong-response', detail })
}

/** Wraps the address as an embedder. */
export function addressEmbedder(address: EmbeddingsAddress): Embedder {
  const { model: name, dimensions: requestedLength, textPrefix, queryPrefix } = address
  const { textsOfRequest, timeoutMs, queryTimeoutMs } = address
  return {
    model: { name, requestedLength, textPrefix },
    textsOfRequest,
    timeoutMs,
    queryTimeoutMs,
    textPrefix,
    queryPrefix,
    embed: (texts, options) => embedTexts(address, texts, options),
    close: async () => undefined,
  }
}
