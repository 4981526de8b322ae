import { join, resolve } from 'node:path'
import { objectStoreOf } from './object-store-of.ts'
import type { Settings } from './settings.ts'

/** Docket's own folder: packages that are installed beside it are found there. */
const ownFolder = resolve(import.meta.dirname, '../..')

/** Where LanceDB keeps large parts of the search index; null: it is not used. */
export function segmentTablesOf(settings: Settings) {
  if (settings.search !== 'lancedb') return null
  return { ...lancePlace(settings), minChunks: settings.lancedbMinChunks }
}

/** Where LanceDB keeps vectors; null: it does not. */
export function vectorTablesOf(settings: Settings) {
  return settings.vectors === 'lancedb' ? lancePlace(settings) : null
}

function lancePlace(settings: Settings) {
  const store = objectStoreOf(settings)
  const besideFiles =
    store === null
      ? join(resolve(settings.dataDir), 'lancedb')
      : `s3://${store.bucket}/${[store.prefix.replace(/\/+$/, ''), 'lancedb'].filter(Boolean).join('/')}`
  const uri = settings.lancedbUri ?? besideFiles
  return {
    uri,
    storageOptions: store === null || !uri.startsWith('s3://') ? {} : storageOptionsOf(store),
    packageFolder: resolve(settings.lancedbPackages ?? ownFolder),
    cacheBytes: settings.lancedbCacheMb * 1_048_576,
  }
}

/** As the library of LanceDB names them. */
function storageOptionsOf(store: NonNullable<ReturnType<typeof objectStoreOf>>): Readonly<Record<string, string>> {
  return {
    aws_endpoint: store.endpoint,
    aws_region: store.region,
    aws_access_key_id: store.accessKeyId,
    aws_secret_access_key: store.secretAccessKey,
    aws_virtual_hosted_style_request: String(!store.isPathStyle),
    // Seconds. Searches of a store that does not respond must not wait for minutes.
    client_retry_timeout: '10',
    allow_http: String(store.endpoint.startsWith('http:')),
  }
}
