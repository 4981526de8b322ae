import type { Settings } from '../config/settings.ts'
import type { DocumentsOptions } from '../documents/open-documents.ts'
import { operationAddress } from '../embeddings/call-model.ts'
import type { LocalModelOptions } from '../embeddings/local/local-model.ts'

/** Models are the operator's: no request names one. */
export function modelsOf(
  settings: Settings,
): Pick<DocumentsOptions, 'embeddings' | 'localModel' | 'reranker' | 'namedModels'> {
  const { embeddingsUrl, embeddingsModel, embeddingsDimensions, rerankUrl } = settings
  return {
    embeddings:
      embeddingsUrl === undefined || embeddingsModel === undefined
        ? null
        : {
            url: operationAddress(embeddingsUrl, 'embeddings'),
            key: settings.embeddingsKey ?? null,
            model: embeddingsModel,
            dimensions: embeddingsDimensions === 0 ? null : embeddingsDimensions,
            textsOfRequest: settings.embeddingsBatch,
            timeoutMs: settings.embeddingsTimeoutMs,
            queryTimeoutMs: settings.embeddingsQueryTimeoutMs,
            textPrefix: settings.embeddingsTextPrefix ?? '',
            queryPrefix: settings.embeddingsQueryPrefix ?? '',
          },
    localModel: localModelOf(settings),
    namedModels: namedModelsOf(settings),
    reranker:
      rerankUrl === undefined
        ? null
        : {
            url: operationAddress(rerankUrl, 'rerank'),
            key: settings.rerankKey ?? null,
            model: settings.rerankModel ?? null,
            timeoutMs: settings.rerankTimeoutMs,
          },
  }
}

function namedModelsOf(settings: Settings): NonNullable<DocumentsOptions['namedModels']> {
  const { embeddingsBatch: textsOfRequest, embeddingsTimeoutMs: timeoutMs, embeddingsQueryTimeoutMs } = settings
  return new Map(
    [...(settings.embeddingsModels ?? [])].map(([name, each]) => [
      name,
      {
        url: operationAddress(each.url, 'embeddings'),
        key: each.key ?? null,
        model: each.model,
        dimensions: each.dimensions ?? null,
        textsOfRequest,
        timeoutMs,
        queryTimeoutMs: embeddingsQueryTimeoutMs,
        textPrefix: each.textPrefix ?? '',
        queryPrefix: each.queryPrefix ?? '',
      },
    ]),
  )
}

function localModelOf(settings: Settings): LocalModelOptions | null {
  const { embeddingsFolder, embeddingsPooling, embeddingsDimensions } = settings
  if (embeddingsFolder === undefined) return null
  return {
    folder: embeddingsFolder,
    pooling: embeddingsPooling === 'auto' ? null : embeddingsPooling,
    dimensions: embeddingsDimensions === 0 ? null : embeddingsDimensions,
    textsOfRequest: settings.embeddingsBatch,
    timeoutMs: settings.embeddingsTimeoutMs,
    queryTimeoutMs: settings.embeddingsQueryTimeoutMs,
    textPrefix: settings.embeddingsTextPrefix ?? null,
    queryPrefix: settings.embeddingsQueryPrefix ?? null,
  }
}
