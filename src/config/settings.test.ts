import { expect, test } from 'vitest'
import { StartFailure } from '../kernel/start-failure.ts'
import { readSettings, settingNames, settingNote, variableOf } from './settings.ts'

const defaults = {
  host: '127.0.0.1',
  port: 8080,
  dataDir: 'data',
  databasePool: 10,
  databasePooling: 'session',
  databasePreparedStatements: 'on',
  statementsPerUser: 0,
  requestsPerSecond: 0,
  statementTimeoutMs: 15_000,
  slowRequestMs: 100,
  workers: 1,
  searchProcess: 'off',
  maxBodyBytes: 1_048_576,
  console: 'on',
  servicenow: 'on',
  converterTimeoutSeconds: 120,
  s3Region: 'us-east-1',
  s3PathStyle: 'on',
  trustedProxies: [],
  attachmentMaxBytes: 2_147_483_648,
  webhookNetworks: [],
  allowedOrigins: [],
  logLevel: 'info',
  logFormat: 'auto',
  embeddingsPooling: 'auto',
  vectors: 'built-in',
  vectorsMemoryMb: 64,
  search: 'built-in',
  lancedbCacheMb: 1_024,
  lancedbMinChunks: 200_000,
  embeddingsDimensions: 0,
  embeddingsBatch: 32,
  embeddingsTimeoutMs: 30_000,
  embeddingsQueryTimeoutMs: 1_500,
  rerankTimeoutMs: 1_500,
  searchMode: 'lexical',
  stopTimeoutSeconds: 30,
}

test('an empty environment gives the defaults', () => {
  expect(readSettings({ PATH: '/usr/bin', DOCKETS: 'x' })).toEqual(defaults)
})

test('a variable that is set to nothing counts as not set', () => {
  expect(readSettings({ DOCKET_PORT: '', DOCKET_ADMIN_PASSWORD: ' ' })).toEqual(defaults)
})

test('every variable reaches its setting', () => {
  expect(
    readSettings({
      DOCKET_HOST: '::1',
      DOCKET_PORT: '0',
      DOCKET_DATA_DIR: '/srv/docket',
      DOCKET_DATABASE_URL: 'postgres://u:p@h/d',
      DOCKET_DATABASE_DIRECT_URL: 'postgres://u:p@primary/d',
      DOCKET_DATABASE_READ_URLS: 'postgres://u:p@standby1/d  postgres://u:p@standby2/d',
      DOCKET_DATABASE_POOLING: 'transaction',
      DOCKET_DATABASE_PREPARED_STATEMENTS: 'off',
      DOCKET_DATABASE_POOL: '20',
      DOCKET_STATEMENTS_PER_USER: '5',
      DOCKET_REQUESTS_PER_SECOND: '50',
      DOCKET_STATEMENT_TIMEOUT_MS: '5000',
      DOCKET_POSTGRES_ACCOUNT: 'pg',
      DOCKET_ADMIN_PASSWORD: 'correct horse',
      DOCKET_DEMO: 'off',
      DOCKET_BASE_URL: 'https://desk.example.com/',
      DOCKET_WORKERS: '4',
      DOCKET_SEARCH_PROCESS: 'on',
      DOCKET_MAX_BODY_BYTES: '2048',
      DOCKET_CONSOLE: 'off',
      DOCKET_SERVICENOW: 'off',
      DOCKET_CONVERTER_URL: 'http://127.0.0.1:9998/tika',
      DOCKET_CONVERTER_TIMEOUT_SECONDS: '60',
      DOCKET_S3_ENDPOINT: 'http://127.0.0.1:9000/',
      DOCKET_S3_BUCKET: 'docket-files',
      DOCKET_S3_REGION: 'eu-central-1',
      DOCKET_S3_ACCESS_KEY_ID: 'AKID',
      DOCKET_S3_SECRET_ACCESS_KEY: 'secret',
      DOCKET_S3_PATH_STYLE: 'off',
      DOCKET_S3_PREFIX: '/desk/files/',
      DOCKET_URL: 'https://desk.example.com/',
      DOCKET_TOKEN: 'a key',
      DOCKET_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      DOCKET_ATTACHMENT_MAX_BYTES: '1000000',
      DOCKET_WEBHOOK_NETWORKS: '10.1.0.0/16, fd00::/8',
      DOCKET_ALLOWED_ORIGINS: 'https://Desk.example.com, http://[::1]:3000',
      DOCKET_LOG_LEVEL: 'debug',
      DOCKET_LOG_FORMAT: 'json',
      DOCKET_EMBEDDINGS_URL: 'https://models.example.com/v1/embeddings?api-version=1',
      DOCKET_EMBEDDINGS_MODEL: 'bge-m3',
      DOCKET_EMBEDDINGS_KEY: 'key',
      DOCKET_EMBEDDINGS_POOLING: 'cls',
      DOCKET_VECTORS: 'pgvector',
      DOCKET_VECTORS_MEMORY_MB: '0',
      DOCKET_SEARCH: 'lancedb',
      DOCKET_LANCEDB_URI: 's3://docket-files/words',
      DOCKET_LANCEDB_CACHE_MB: '256',
      DOCKET_LANCEDB_MIN_CHUNKS: '1000000',
      DOCKET_LANCEDB_PACKAGES: '/srv/lancedb',
      DOCKET_EMBEDDINGS_DIMENSIONS: '512',
      DOCKET_EMBEDDINGS_BATCH: '8',
      DOCKET_EMBEDDINGS_TIMEOUT_MS: '1000',
      DOCKET_EMBEDDINGS_QUERY_TIMEOUT_MS: '100',
      DOCKET_EMBEDDINGS_TEXT_PREFIX: 'passage:',
      DOCKET_EMBEDDINGS_QUERY_PREFIX: 'query:',
      DOCKET_RERANK_URL: 'http://127.0.0.1:8080/rerank',
      DOCKET_RERANK_MODEL: 'cross',
      DOCKET_RERANK_KEY: 'other key',
      DOCKET_RERANK_TIMEOUT_MS: '200',
      DOCKET_SEARCH_MODE: 'hybrid',
      DOCKET_STOP_TIMEOUT_SECONDS: '5',
      DOCKET_SLOW_REQUEST_MS: '250',
    }),
  ).toEqual({
    host: '::1',
    port: 0,
    dataDir: '/srv/docket',
    databaseUrl: 'postgres://u:p@h/d',
    databaseDirectUrl: 'postgres://u:p@primary/d',
    databaseReadUrls: ['postgres://u:p@standby1/d', 'postgres://u:p@standby2/d'],
    databasePooling: 'transaction',
    databasePreparedStatements: 'off',
    databasePool: 20,
    statementsPerUser: 5,
    requestsPerSecond: 50,
    slowRequestMs: 250,
    statementTimeoutMs: 5_000,
    postgresAccount: 'pg',
    adminPassword: 'correct horse',
    demo: 'off',
    baseUrl: 'https://desk.example.com',
    workers: 4,
    searchProcess: 'on',
    maxBodyBytes: 2_048,
    console: 'off',
    servicenow: 'off',
    converterUrl: 'http://127.0.0.1:9998/tika',
    converterTimeoutSeconds: 60,
    s3Endpoint: 'http://127.0.0.1:9000',
    s3Bucket: 'docket-files',
    s3Region: 'eu-central-1',
    s3AccessKeyId: 'AKID',
    s3SecretAccessKey: 'secret',
    s3PathStyle: 'off',
    s3Prefix: 'desk/files/',
    url: 'https://desk.example.com',
    token: 'a key',
    trustedProxies: ['10.0.0.0/8', '::1'],
    attachmentMaxBytes: 1_000_000,
    webhookNetworks: ['10.1.0.0/16', 'fd00::/8'],
    allowedOrigins: ['https://desk.example.com', 'http://[::1]:3000'],
    logLevel: 'debug',
    logFormat: 'json',
    embeddingsUrl: 'https://models.example.com/v1/embeddings?api-version=1',
    embeddingsModel: 'bge-m3',
    embeddingsKey: 'key',
    embeddingsPooling: 'cls',
    vectors: 'pgvector',
    vectorsMemoryMb: 0,
    search: 'lancedb',
    lancedbUri: 's3://docket-files/words',
    lancedbCacheMb: 256,
    lancedbMinChunks: 1_000_000,
    lancedbPackages: '/srv/lancedb',
    embeddingsDimensions: 512,
    embeddingsBatch: 8,
    embeddingsTimeoutMs: 1_000,
    embeddingsQueryTimeoutMs: 100,
    embeddingsTextPrefix: 'passage:',
    embeddingsQueryPrefix: 'query:',
    rerankUrl: 'http://127.0.0.1:8080/rerank',
    rerankModel: 'cross',
    rerankKey: 'other key',
    rerankTimeoutMs: 200,
    searchMode: 'hybrid',
    stopTimeoutSeconds: 5,
  })
  // It stands in place of an address.
  expect(readSettings({ DOCKET_EMBEDDINGS_FOLDER: '/models/e5' })).toEqual({
    ...defaults,
    embeddingsFolder: '/models/e5',
  })
})

const rejections: readonly {
  readonly name: string
  readonly environment: Record<string, string>
  readonly says: string
}[] = [
  {
    name: 'a port that is no number',
    environment: { DOCKET_PORT: 'eighty' },
    says: 'DOCKET_PORT is "eighty": it must be a whole number from 0 to 65535.',
  },
  {
    name: 'a port out of range',
    environment: { DOCKET_PORT: '65536' },
    says: 'DOCKET_PORT is "65536": it must be a whole number from 0 to 65535.',
  },
  {
    name: 'a negative number',
    environment: { DOCKET_WORKERS: '-1' },
    says: 'DOCKET_WORKERS is "-1": it must be a whole number from 1 to 64.',
  },
  {
    name: 'a word outside of the choice',
    environment: { DOCKET_DEMO: 'yes' },
    says: 'DOCKET_DEMO is "yes": it must be on or off.',
  },
  {
    name: 'an address of another database',
    environment: { DOCKET_DATABASE_URL: 'mysql://u:secret@h/d' },
    says: 'DOCKET_DATABASE_URL cannot be used: it must be an address such as postgres://user:password@host:5432/database.',
  },
  {
    name: 'a short password, which is not repeated',
    environment: { DOCKET_ADMIN_PASSWORD: 'short' },
    says: 'DOCKET_ADMIN_PASSWORD cannot be used: it must be at least 8 characters.',
  },
  {
    name: 'a base URL without a scheme',
    environment: { DOCKET_BASE_URL: 'desk.example.com' },
    says: 'DOCKET_BASE_URL is "desk.example.com": it must be an address such as https://desk.example.com.',
  },
  {
    name: 'a network with too many bits (issue 9, step 7)',
    environment: { DOCKET_WEBHOOK_NETWORKS: '10.0.0.0/33' },
    says: 'DOCKET_WEBHOOK_NETWORKS is "10.0.0.0/33": it must be addresses or networks such as 10.1.0.0/16,127.0.0.1.',
  },
  {
    name: 'an address with a number above 255 (issue 9, step 7)',
    environment: { DOCKET_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.256' },
    says: 'DOCKET_TRUSTED_PROXIES is "127.0.0.1, 10.0.0.256": it must be addresses or networks such as 10.0.0.0/8,127.0.0.1.',
  },
  {
    name: 'embeddings without a model',
    environment: { DOCKET_EMBEDDINGS_URL: 'http://127.0.0.1:11434/v1/embeddings' },
    says: 'DOCKET_EMBEDDINGS_MODEL is missing: DOCKET_EMBEDDINGS_URL needs it.',
  },
  {
    name: 'an address and a folder that make vectors',
    environment: { DOCKET_EMBEDDINGS_URL: 'http://a/v1', DOCKET_EMBEDDINGS_MODEL: 'm', DOCKET_EMBEDDINGS_FOLDER: '/m' },
    says: 'DOCKET_EMBEDDINGS_URL and DOCKET_EMBEDDINGS_FOLDER are both set: vectors come from one of them.',
  },
  {
    name: 'a pooling that is none',
    environment: { DOCKET_EMBEDDINGS_POOLING: 'max' },
    says: 'DOCKET_EMBEDDINGS_POOLING is "max": it must be auto, mean, cls or last_token.',
  },
  {
    name: 'an embeddings address of another kind',
    environment: { DOCKET_EMBEDDINGS_URL: 'file:///etc/passwd', DOCKET_EMBEDDINGS_MODEL: 'm' },
    says: 'DOCKET_EMBEDDINGS_URL is "file:///etc/passwd": it must be an address such as http://127.0.0.1:11434/v1/embeddings.',
  },
  {
    name: 'a misspelt variable',
    environment: { DOCKET_PROT: '80' },
    says: 'DOCKET_PROT is not a Docket setting: did you mean DOCKET_PORT? (docs/settings.md lists them all).',
  },
  {
    name: 'an unknown variable',
    environment: { DOCKET_ENABLE_TELEPATHY: '1' },
    says: 'DOCKET_ENABLE_TELEPATHY is not a Docket setting: remove it (docs/settings.md lists them all).',
  },
  {
    name: 'what Kubernetes sets for a service named docket',
    environment: { DOCKET_PORT: 'tcp://10.0.0.1:8080', DOCKET_SERVICE_HOST: '10.0.0.1', DOCKET_PORT_8080_TCP: 'x' },
    says: 'DOCKET_PORT is "tcp://10.0.0.1:8080": it must be a whole number from 0 to 65535 (Kubernetes sets it for a service named docket: put enableServiceLinks: false into the pod).',
  },
  {
    name: 'half an object store',
    environment: {
      DOCKET_S3_BUCKET: 'files',
      DOCKET_S3_ENDPOINT: 'http://127.0.0.1:9000',
      DOCKET_S3_ACCESS_KEY_ID: 'x',
    },
    says: 'DOCKET_S3_SECRET_ACCESS_KEY is not set: an object store needs DOCKET_S3_ENDPOINT, DOCKET_S3_BUCKET, DOCKET_S3_ACCESS_KEY_ID and DOCKET_S3_SECRET_ACCESS_KEY.',
  },
  {
    name: 'larger files than an object store takes in one piece',
    environment: {
      DOCKET_S3_BUCKET: 'files',
      DOCKET_S3_ENDPOINT: 'http://127.0.0.1:9000',
      DOCKET_S3_ACCESS_KEY_ID: 'x',
      DOCKET_S3_SECRET_ACCESS_KEY: 'x',
      DOCKET_ATTACHMENT_MAX_BYTES: '5368709121',
    },
    says: 'DOCKET_ATTACHMENT_MAX_BYTES is "5368709121": an object store takes files of at most 5368709120 bytes.',
  },
  {
    name: 'two troubles, a line each',
    environment: { DOCKET_LOG_LEVEL: 'loud', DOCKET_HOSTS: 'x' },
    says: 'DOCKET_HOSTS is not a Docket setting: did you mean DOCKET_HOST? (docs/settings.md lists them all).\nDOCKET_LOG_LEVEL is "loud": it must be silent, error, warn, info or debug.',
  },
]

test.each(rejections)('$name is rejected with what is wrong and the cure', ({ environment, says }) => {
  let failure: unknown
  try {
    readSettings(environment)
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(StartFailure)
  expect(failure).toMatchObject({ message: says, exitCode: 2 })
})

test('every setting says what it means and what it must be', () => {
  for (const name of settingNames) {
    expect(settingNote(name).meaning, variableOf(name)).toMatch(/\.$/)
    expect(settingNote(name).expected, variableOf(name)).not.toBe('')
  }
})
