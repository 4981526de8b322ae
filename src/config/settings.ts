import { z } from 'zod'
import { parseIpNetwork } from '../kernel/ip-address.ts'
import { StartFailure } from '../kernel/start-failure.ts'
import { embeddingsModels, sameModels } from './embeddings-models.ts'

/** What docs/settings.md and the errors say about a setting. */
export interface SettingNote {
  readonly meaning: string
  /** Ends the sentence "… must be". */
  readonly expected: string
  /** What happens without it, where the default is no plain value. */
  readonly without?: string
  /** Its value is never printed. */
  readonly isSecret?: true
}

const notes = z.registry<SettingNote>()

function text(note: SettingNote) {
  return z.string().optional().register(notes, note)
}

function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  byDefault: Values[number],
  meaning: string,
) {
  return z
    .enum(values)
    .default(byDefault as never)
    .register(notes, { meaning, expected: listed(values) })
}

function wholeNumber(
  range: { readonly min: number; readonly max: number; readonly byDefault: number },
  meaning: string,
) {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(range.min).max(range.max))
    .default(range.byDefault)
    .register(notes, { meaning, expected: `a whole number from ${range.min} to ${range.max}` })
}

function listed(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}

const webAddress = z.string().regex(/^https?:\/\/[^/?#\s]+[^?#\s]*$/i)
const modelAddress = z.string().regex(/^https?:\/\/[^/?#\s@]+[^#\s]*$/i)
const databaseAddress = z.string().regex(/^postgres(ql)?:\/\/\S+$/)
const databaseAddresses = z
  .string()
  .regex(/^postgres(ql)?:\/\/\S+(\s+postgres(ql)?:\/\/\S+)*$/)
  .transform((text) => text.split(/\s+/))
const networks = z
  .string()
  .transform((list) => list.split(',').map((network) => network.trim()))
  .refine((list) => list.every((network) => parseIpNetwork(network) !== null))

const origin = String.raw`https?:\/\/[a-z0-9.[\]:-]+`
const origins = z
  .string()
  .regex(new RegExp(`^(\\*|${origin}(\\s*,\\s*${origin})*)$`, 'i'))
  .transform((list) => list.split(',').map((each) => each.trim().toLowerCase()))

/**
 * Every setting of Docket, with its unit in its name. `DOCKET_` and the name in capitals is the environment variable:
 * `statementTimeoutMs` is DOCKET_STATEMENT_TIMEOUT_MS. All limits are our choice.
 */
export const settingsSchema = z.object({
  host: z
    .string()
    .regex(/^[^\s/]+$/)
    .default('127.0.0.1')
    .register(notes, {
      meaning: 'Address to listen on. `0.0.0.0` or `::` lets other machines in.',
      expected: 'an IP address or a host name of this machine',
    }),
  port: wholeNumber(
    { min: 0, max: 65_535, byDefault: 8080 },
    'TCP port to listen on. `0` takes any free one, which is then printed.',
  ),
  dataDir: z.string().default('data').register(notes, {
    meaning:
      'Folder for everything Docket stores: the embedded PostgreSQL, files and indexes. Relative to the working directory; created if missing. Only Docket’s own account can enter it: the start sets its mode to 700.',
    expected: 'the path of a folder',
  }),
  databaseUrl: databaseAddress.optional().register(notes, {
    meaning:
      'An existing PostgreSQL, 14 or newer, with an UTF-8 database and a user who may create schemas in it. Docket creates the schemas `docket`, `docket_documents`, `docket_system` and `graphile_worker` (with DOCKET_VECTORS=pgvector also `docket_vectors`) and changes nothing else.',
    expected: 'an address such as postgres://user:password@host:5432/database',
    without: 'a PostgreSQL of its own in the data directory',
    isSecret: true,
  }),
  databaseDirectUrl: databaseAddress.optional().register(notes, {
    meaning:
      'The same database without a pooler in between, for what needs a session: migrations, jobs, long locks, builds of indexes, commands.',
    expected: 'an address such as postgres://user:password@host:5432/database',
    without: 'DOCKET_DATABASE_URL is used',
    isSecret: true,
  }),
  databaseReadUrls: databaseAddresses.optional().register(notes, {
    meaning:
      'Standbys of the database by streaming replication, separated by spaces. Lists, reads, statistics and exports of records go to them as far as they are new enough (property read.max_lag_ms).',
    expected: 'addresses such as postgres://user:password@standby1:5432/database, separated by spaces',
    without: 'all reads go to DOCKET_DATABASE_URL',
    isSecret: true,
  }),
  databasePooling: choice(
    ['session', 'transaction'],
    'session',
    'How long a pooler behind DOCKET_DATABASE_URL leaves a connection to Docket. `session` is also right without a pooler. With `transaction`, Docket sends its session settings with every statement, and DOCKET_DATABASE_DIRECT_URL has to be set.',
  ),
  databasePreparedStatements: choice(
    ['on', 'off'],
    'on',
    'Whether connections keep prepared statements. `off` is for poolers with transaction pooling that do not follow their names, such as PgBouncer before 1.21; each request is then parsed again.',
  ),
  databasePool: wholeNumber(
    { min: 2, max: 500, byDefault: 10 },
    'Connections to PostgreSQL that each process keeps at most.',
  ),
  statementsPerUser: wholeNumber(
    { min: 0, max: 500, byDefault: 0 },
    'Requests of one user that may run statements at once in each process. Further requests wait, and are rejected with 429 after 2 seconds. `0` and larger numbers mean all connections but three tenths, which are for other users, sign-in and background work.',
  ),
  requestsPerSecond: wholeNumber(
    { min: 0, max: 100_000, byDefault: 0 },
    'Requests of one user that each process takes in a second. Further requests are rejected with 429. `0` for no limit.',
  ),
  statementTimeoutMs: wholeNumber(
    { min: 100, max: 3_600_000, byDefault: 15_000 },
    'Milliseconds after which PostgreSQL ends a statement; the caller gets an error that the request is too expensive.',
  ),
  slowRequestMs: wholeNumber(
    { min: 0, max: 3_600_000, byDefault: 100 },
    'Milliseconds from which on the statement of a record request is slow. `docket records slow` lists the shapes of such requests, never their values. `0` counts all.',
  ),
  postgresAccount: text({
    meaning:
      'Account of the operating system that the embedded PostgreSQL runs as when Docket is started as root. Used when the data directory is created; afterwards its owner is used.',
    expected: 'the name of an account in /etc/passwd',
    without: 'the first of `docket`, `postgres` and `nobody` that exists',
  }),
  adminPassword: z.string().min(8).max(1_000).optional().register(notes, {
    meaning: 'Password that the user `admin` gets on the first start. Later starts do not change it.',
    expected: 'at least 8 characters',
    without: 'a random one, printed once',
    isSecret: true,
  }),
  demo: z.enum(['on', 'off']).optional().register(notes, {
    meaning:
      'Whether the first start fills the database with a demo service desk and its users, whose passwords are public. Use `off` for real work. `docket demo remove` deletes the demo later.',
    expected: 'on or off',
    without:
      'on. If other machines can reach `DOCKET_HOST`, the server starts with demo users only when this is set to `on`',
  }),
  servicenow: choice(
    ['on', 'off'],
    'on',
    'Whether clients of ServiceNow are served below `/api/now`. `off` responds with 404 there.',
  ),
  console: choice(['on', 'off'], 'on', 'Whether the web console is served at `/console`. `off` leaves the API alone.'),
  baseUrl: webAddress
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .register(notes, {
      meaning:
        'Address under which callers reach Docket, for example behind a proxy; links in responses begin with it.',
      expected: 'an address such as https://desk.example.com',
      without: 'the address of the request',
    }),
  workers: wholeNumber(
    { min: 1, max: 64, byDefault: 1 },
    'Processes that serve the port together. More than the machine has cores gains nothing.',
  ),
  searchProcess: choice(
    ['on', 'off'],
    'off',
    'With DOCKET_WORKERS above 1: `on` starts one process more, which has the search index for all workers; `off` lets each worker have its own (docs/scaling.md).',
  ),
  maxBodyBytes: wholeNumber(
    { min: 1_024, max: 1_073_741_824, byDefault: 1_048_576 },
    'Largest body of a record request, in bytes.',
  ),
  secretKey: z
    .string()
    .regex(/^[A-Za-z0-9+/_-]{43}=?$/)
    .optional()
    .register(notes, {
      meaning:
        'Key that encrypts `encrypted` columns (AES-256-GCM). Without the key the encrypted values are lost; the database does not contain it.',
      expected: '32 random bytes in base64, as `openssl rand -base64 32` prints',
      without: 'encrypted columns cannot be written',
      isSecret: true,
    }),
  converterUrl: webAddress.optional().register(notes, {
    meaning:
      'Address of a converter for files that Docket does not read itself (old Office formats, pictures, scans without a text layer): they are sent by PUT, and the response is HTML, Markdown or plain text, as Apache Tika does at `/tika`.',
    expected: 'an address such as http://127.0.0.1:9998/tika',
    without: 'such files are rejected',
  }),
  converterTimeoutSeconds: wholeNumber(
    { min: 1, max: 3_600, byDefault: 120 },
    'Seconds that the converter gets for a file.',
  ),
  s3Endpoint: webAddress
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .register(notes, {
      meaning:
        'Object store with the S3 protocol, for the original files of documents and segments of the search index. Its layout is that of `files` in the data directory: to move the files, copy that folder into the bucket.',
      expected: 'an address such as https://s3.eu-central-1.amazonaws.com or http://127.0.0.1:9000',
      without: 'files are stored in the data directory, which several servers then must share',
    }),
  s3Bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .optional()
    .register(notes, {
      meaning: 'Bucket of the object store. It must exist; Docket does not create it.',
      expected: 'the name of a bucket: 3 to 63 small letters, digits, dots and hyphens',
      without: 'needed with `DOCKET_S3_ENDPOINT`',
    }),
  s3Region: z
    .string()
    .regex(/^[a-z0-9-]{1,50}$/)
    .default('us-east-1')
    .register(notes, { meaning: 'Region of the bucket.', expected: 'a name such as eu-central-1' }),
  s3AccessKeyId: text({
    meaning: 'Key for the bucket: it needs to read, write, delete and list objects.',
    expected: 'an access key',
    without: 'needed with `DOCKET_S3_ENDPOINT`',
  }),
  s3SecretAccessKey: text({
    meaning: 'The secret of that key.',
    expected: 'a secret access key',
    without: 'needed with `DOCKET_S3_ENDPOINT`',
    isSecret: true,
  }),
  s3PathStyle: choice(
    ['on', 'off'],
    'on',
    'Whether the name of the bucket is in the path of an address, as in most self-hosted object stores, or in the host name, as at Amazon.',
  ),
  s3Prefix: z
    .string()
    .regex(/^[A-Za-z0-9._/-]{1,200}$/)
    .transform((prefix) => `${prefix.replace(/^\/+|\/+$/g, '')}/`)
    .optional()
    .register(notes, {
      meaning: 'Prefix of the name of every object, so that a bucket can be shared.',
      expected: 'letters, digits and . _ - /',
      without: 'nothing',
    }),
  trustedProxies: networks.default([]).register(notes, {
    meaning:
      'Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted, as addresses or networks with commas between them.',
    expected: 'addresses or networks such as 10.0.0.0/8,127.0.0.1',
    without: 'none',
  }),
  attachmentMaxBytes: wholeNumber(
    { min: 1_024, max: 1_099_511_627_776, byDefault: 2_147_483_648 },
    'Largest attachment of a record, in bytes.',
  ),
  historyExportDir: text({
    meaning:
      'Folder for changes that are removed from history and deletion log (property history.keep_days), as compressed lines of JSON. Servers on several machines need a shared one. Backups do not contain it.',
    expected: 'the path of a folder',
    without: 'the store of attached files has them, and `docket records removed-history` writes them to a folder',
  }),
  webhookNetworks: networks.default([]).register(notes, {
    meaning:
      'Private networks that webhooks may reach, as addresses or networks with commas between them. Without it a webhook reaches public addresses only.',
    expected: 'addresses or networks such as 10.1.0.0/16,127.0.0.1',
    without: 'none',
  }),
  allowedOrigins: origins.default([]).register(notes, {
    meaning:
      'Origins whose pages may call the API from a browser (CORS), with commas between them; `*` for every origin.',
    expected: 'origins such as https://desk.example.com,https://app.example.com, or *',
    without: 'none',
  }),
  url: webAddress
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .register(notes, {
      meaning: 'The running Docket that commands of `docket documents` talk to; `--server` names another.',
      expected: 'an address such as https://desk.example.com',
      without: '`http://127.0.0.1` at `DOCKET_PORT`',
    }),
  token: text({
    meaning: 'The API key of these commands, as `docket token create` prints it.',
    expected: 'an API key',
    without: 'the commands ask for one',
    isSecret: true,
  }),
  logLevel: choice(
    ['silent', 'error', 'warn', 'info', 'debug'],
    'info',
    'What is written to standard error: errors and warnings only, or also starts and stops of the server; `debug` adds every step of a start and every request.',
  ),
  logFormat: choice(
    ['auto', 'json', 'text'],
    'auto',
    'One JSON object or one readable line for each entry; `auto` writes lines for a terminal.',
  ),
  embeddingsUrl: modelAddress.optional().register(notes, {
    meaning:
      'Embeddings address, as of OpenAI, Ollama, vLLM, TEI and LM Studio, with or without `/embeddings` at its end. With it every document is also found by its meaning, in searches with `mode=hybrid`.',
    expected: 'an address such as http://127.0.0.1:11434/v1/embeddings',
    without: 'searches are by words',
  }),
  embeddingsFolder: text({
    meaning:
      'Folder of a model that makes vectors on this machine, instead of an address: config.json, tokenizer.json and onnx/model.onnx as in repositories of Hugging Face. It needs the package @huggingface/transformers, which is not built in (docs/hybrid-search.md); nothing is ever downloaded.',
    expected: 'the path of a folder, without DOCKET_EMBEDDINGS_URL',
    without: 'none',
  }),
  embeddingsPooling: choice(
    ['auto', 'mean', 'cls', 'last_token'],
    'auto',
    'How the model in DOCKET_EMBEDDINGS_FOLDER combines the vectors of tokens; `auto`: as configured in the folder, otherwise their mean.',
  ),
  embeddingsModel: text({
    meaning:
      'Name of the model in requests to the embeddings address. Another model makes other vectors: all documents get new ones in the background.',
    expected: 'given with DOCKET_EMBEDDINGS_URL, such as bge-m3',
    without: 'nothing: DOCKET_EMBEDDINGS_URL needs it',
  }),
  embeddingsModels: embeddingsModels.optional().register(notes, {
    meaning:
      'Further models, which an administrator may choose for a collection by name (`embeddings_model`): a JSON object such as `{"small":{"url":"http://127.0.0.1:11434/v1/embeddings","model":"all-minilm"}}`. Each has `url` and `model`, and may have `key`, `dimensions`, `textPrefix` and `queryPrefix`.',
    expected: 'a JSON object of models by name, each with url and model',
    without: 'all collections have the vectors of DOCKET_EMBEDDINGS_URL or DOCKET_EMBEDDINGS_FOLDER',
    isSecret: true,
  }),
  embeddingsKey: text({
    meaning: 'Key for the embeddings address, sent as a bearer token.',
    expected: 'a text',
    without: 'none is sent',
    isSecret: true,
  }),
  embeddingsDimensions: wholeNumber(
    { min: 0, max: 16_384, byDefault: 0 },
    'Requested dimensions of a vector, for models that support fewer; `0` for the default of the model.',
  ),
  embeddingsBatch: wholeNumber(
    { min: 1, max: 2_048, byDefault: 32 },
    'Maximum number of texts in one request to the embeddings address.',
  ),
  embeddingsTimeoutMs: wholeNumber(
    { min: 100, max: 600_000, byDefault: 30_000 },
    'Time limit in milliseconds for a request to the embeddings address with texts of documents.',
  ),
  embeddingsQueryTimeoutMs: wholeNumber(
    { min: 10, max: 60_000, byDefault: 1_500 },
    'Time limit in milliseconds for a request to the embeddings address with the query of a search; afterwards the search uses words only, and the response has a warning.',
  ),
  embeddingsTextPrefix: text({
    meaning:
      'Prefix that the model requires before each text that is searched, such as `passage:`; followed by a blank.',
    expected: 'a text',
    without: 'nothing, or what the model in DOCKET_EMBEDDINGS_FOLDER says',
  }),
  embeddingsQueryPrefix: text({
    meaning: 'Prefix that the model requires before the query of a search, such as `query:`; followed by a blank.',
    expected: 'a text',
    without: 'nothing, or what the model in DOCKET_EMBEDDINGS_FOLDER says',
  }),
  vectors: choice(
    ['built-in', 'built-in-exact', 'pgvector', 'lancedb'],
    'built-in',
    'What searches by vectors: `built-in` keeps a copy of all vectors in each process, in memory and in a file, and searches large collections that the caller sees whole approximately; `built-in-exact` compares all vectors in every search; `pgvector` keeps them in PostgreSQL, which needs its extension pgvector; `lancedb` keeps them in tables of LanceDB, which needs the package @lancedb/lancedb (docs/hybrid-search.md).',
  ),
  vectorsMemoryMb: wholeNumber(
    { min: 0, max: 1_048_576, byDefault: 64 },
    'Megabytes (2^20 bytes) of memory that the built-in engines take in each process for the rounded vectors of a model. The others are in a file in the data directory, and a search reads of it what it compares. Signs of vectors take memory in addition (docs/hybrid-search.md).',
  ),
  search: choice(
    ['built-in', 'lancedb'],
    'built-in',
    'What has the index of words: `built-in` keeps all of it in memory; `lancedb` moves large parts of collections that every reader sees whole into tables of LanceDB, and keeps some bytes of each chunk in memory. It needs the package @lancedb/lancedb, which is not built in (docs/scaling.md).',
  ),
  lancedbUri: text({
    meaning:
      'Where the tables of LanceDB are, with DOCKET_SEARCH=lancedb or DOCKET_VECTORS=lancedb: a folder that all servers of this database share, and no others, or `s3://BUCKET/PREFIX` with the settings DOCKET_S3_*.',
    expected: 'the path of a folder, or s3://BUCKET/PREFIX',
    without: '`lancedb` in the data directory, or in the bucket with `DOCKET_S3_ENDPOINT`',
  }),
  lancedbMinChunks: wholeNumber(
    { min: 1_000, max: 16_000_000, byDefault: 200_000 },
    'Parts of the index with at least this many chunks are moved into tables of LanceDB.',
  ),
  lancedbCacheMb: wholeNumber(
    { min: 1, max: 1_048_576, byDefault: 1_024 },
    'Megabytes (2^20 bytes) that LanceDB may keep of tables in memory, in each thread that searches or writes words, and for the vectors of each model. With less, searches read more from the place of the tables.',
  ),
  lancedbPackages: text({
    meaning: 'Folder in which @lancedb/lancedb and apache-arrow are installed: its `node_modules` has them.',
    expected: 'the path of a folder',
    without: 'the folder of Docket',
  }),
  rerankUrl: modelAddress.optional().register(notes, {
    meaning:
      'Reranking address, as of Cohere, Jina, vLLM and TEI, with or without `/rerank` at its end. The best 50 chunks of a search with `mode=hybrid` are put before it.',
    expected: 'an address such as http://127.0.0.1:8080/v1/rerank',
    without: 'the order is that of the search',
  }),
  rerankModel: text({
    meaning: 'Name of the model in requests to the reranking address.',
    expected: 'a text',
    without: 'none is named',
  }),
  rerankKey: text({
    meaning: 'Key for the reranking address, sent as a bearer token.',
    expected: 'a text',
    without: 'none is sent',
    isSecret: true,
  }),
  rerankTimeoutMs: wholeNumber(
    { min: 10, max: 60_000, byDefault: 1_500 },
    'Time limit in milliseconds for a request to the reranking address; afterwards the search keeps its own order, and the response has a warning.',
  ),
  searchMode: choice(
    ['lexical', 'hybrid'],
    'lexical',
    'How documents are searched when a search names no `mode`: by words, or by words and meaning.',
  ),
  stopTimeoutSeconds: wholeNumber(
    { min: 1, max: 3_600, byDefault: 30 },
    'Seconds that running requests have to finish when Docket stops.',
  ),
})

export type Settings = Readonly<z.output<typeof settingsSchema>>
export type SettingName = keyof Settings

export const settingNames = Object.keys(settingsSchema.shape) as readonly SettingName[]

export function settingNote(name: SettingName): SettingNote {
  const note = notes.get(settingsSchema.shape[name])
  if (note === undefined) throw new Error(`the setting ${name} has no note`)
  return note
}

/** `dataDir` → `DOCKET_DATA_DIR`. */
export function variableOf(name: SettingName): string {
  return `DOCKET_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
}

/**
 * Reads the settings from the environment. A variable that is set to nothing counts as not set.
 *
 * @throws StartFailure, one sentence for each wrong or unknown variable, exit code 2
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>> = process.env): Settings {
  const given = settingNames.flatMap((name) => {
    const value = environment[variableOf(name)]?.trim()
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  const parsed = settingsSchema.safeParse(Object.fromEntries(given))
  const wrong = parsed.success ? [] : parsed.error.issues.map(({ path }) => path[0] as SettingName)
  const rejections = [
    ...unknownVariables(environment).map(unknownSentence),
    ...[...new Set(wrong)].map((name) => wrongSentence(name, environment[variableOf(name)] ?? '')),
  ]
  if (parsed.success) rejections.push(...halfAnObjectStore(parsed.data), ...largerThanAnObject(parsed.data))
  if (parsed.success && parsed.data.embeddingsUrl !== undefined && parsed.data.embeddingsModel === undefined)
    rejections.push('DOCKET_EMBEDDINGS_MODEL is missing: DOCKET_EMBEDDINGS_URL needs it.')
  if (parsed.success && parsed.data.embeddingsUrl !== undefined && parsed.data.embeddingsFolder !== undefined)
    rejections.push('DOCKET_EMBEDDINGS_URL and DOCKET_EMBEDDINGS_FOLDER are both set: vectors come from one of them.')
  if (parsed.success) rejections.push(...modelsTwice(parsed.data), ...poolerWithoutDirectUrl(parsed.data))
  if (!parsed.success || rejections.length > 0) throw new StartFailure(rejections.join('\n'), { exitCode: 2 })
  return parsed.data
}

function poolerWithoutDirectUrl({
  databaseUrl,
  databaseDirectUrl,
  databasePooling,
  databaseReadUrls,
}: Pick<Settings, 'databaseUrl' | 'databaseDirectUrl' | 'databasePooling' | 'databaseReadUrls'>): readonly string[] {
  if (databaseDirectUrl !== undefined && databaseUrl === undefined)
    return [
      'DOCKET_DATABASE_DIRECT_URL is set without DOCKET_DATABASE_URL: it leads to the same database, past a pooler.',
    ]
  if (databaseReadUrls !== undefined && databaseUrl === undefined)
    return ['DOCKET_DATABASE_READ_URLS is set without DOCKET_DATABASE_URL: the embedded database has no standbys.']
  if (databasePooling === 'transaction' && databaseDirectUrl === undefined)
    return [
      'DOCKET_DATABASE_DIRECT_URL is missing: DOCKET_DATABASE_POOLING=transaction needs it for migrations, jobs and locks.',
    ]
  return []
}

function modelsTwice(settings: Settings): readonly string[] {
  const { embeddingsModels: models, embeddingsModel: model, embeddingsDimensions: dimensions } = settings
  if (models === undefined) return []
  return sameModels(
    models,
    model === undefined ? null : { model, dimensions, textPrefix: settings.embeddingsTextPrefix ?? '' },
  )
}

/** An object store is named as a whole or not at all. */
function halfAnObjectStore(settings: Settings): readonly string[] {
  const needed = ['s3Endpoint', 's3Bucket', 's3AccessKeyId', 's3SecretAccessKey'] as const
  const missing = needed.filter((name) => settings[name] === undefined)
  if (missing.length === 0 || missing.length === needed.length) return []
  return missing.map(
    (name) =>
      `${variableOf(name)} is not set: an object store needs ${listed(needed.map(variableOf)).replace(' or ', ' and ')}.`,
  )
}

/** The largest upload of S3 in one part. */
const maxObjectBytes = 5_368_709_120

function largerThanAnObject({ s3Endpoint, attachmentMaxBytes }: Settings): readonly string[] {
  if (s3Endpoint === undefined || attachmentMaxBytes <= maxObjectBytes) return []
  return [
    `DOCKET_ATTACHMENT_MAX_BYTES is "${attachmentMaxBytes}": an object store takes files of at most ${maxObjectBytes} bytes.`,
  ]
}

function wrongSentence(name: SettingName, value: string): string {
  const { expected, isSecret } = settingNote(name)
  // Kubernetes gives every container of a namespace such variables for a service that is named docket.
  const hint = /^tcp:\/\//.test(value)
    ? ' (Kubernetes sets it for a service named docket: put enableServiceLinks: false into the pod)'
    : ''
  return `${variableOf(name)} ${isSecret ? 'cannot be used' : `is "${value}"`}: it must be ${expected}${hint}.`
}

function unknownSentence(variable: string): string {
  const [nearest] = settingNames
    .map((name) => ({ known: variableOf(name), edits: distance(variableOf(name), variable) }))
    .sort((one, other) => one.edits - other.edits)
  const cure = nearest !== undefined && nearest.edits <= 3 ? `did you mean ${nearest.known}?` : 'remove it'
  return `${variable} is not a Docket setting: ${cure} (docs/settings.md lists them all).`
}

/** DOCKET_TEST_ is for tests; the others are what Kubernetes sets for a service named docket. */
const notOurs = /^DOCKET_(TEST_|SERVICE_(HOST|PORT)|PORT_\d+_)/

function unknownVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = new Set(settingNames.map(variableOf))
  return Object.keys(environment).filter(
    (variable) => variable.startsWith('DOCKET_') && !known.has(variable) && !notOurs.test(variable),
  )
}

/** Characters to insert, delete or replace to make one word of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, otherLetter] of [...other].entries()) {
      const change = (row[j] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
