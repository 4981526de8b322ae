import { importLance, type Lance, type LanceDatabase, type LanceSession } from './import-lancedb.ts'

/** Where the tables are, and where LanceDB is installed. It is passed to threads. */
export interface TablePlace {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly uri: string
  /** Of an object store: its address and credentials, as LanceDB names them. */
  readonly storageOptions: Readonly<Record<string, string>>
  /** A folder with `node_modules`, or one below it. */
  readonly packageFolder: string
  /** What LanceDB may keep of tables in memory, in each thread that reads them; absent: its own limit, 7 GB. */
  readonly cacheBytes?: number
}

/** A table does not exist any more, or a part of it is missing: what it contained has to be built again. */
export class LostTableError extends Error {
  override readonly name = 'LostTableError'
}

/** The place of the tables does not respond. */
export class TablesUnavailableError extends Error {
  override readonly name = 'TablesUnavailableError'
}

/** Of the cache, what is for the descriptions of files; the rest is for indexes. */
const metadataShare = 1 / 8

export interface ConnectedLance {
  readonly lance: Lance
  readonly database: LanceDatabase
  /** undefined: LanceDB has its own. */
  readonly session: LanceSession | undefined
}

export async function connectLance({
  uri,
  storageOptions,
  packageFolder,
  cacheBytes,
}: TablePlace): Promise<ConnectedLance> {
  const lance = await importLance(packageFolder)
  const session = cacheBytes === undefined ? undefined : sessionOf(lance, cacheBytes)
  // An option: LanceDB takes a session after the options, as it describes it, and uses another one.
  const options = session === undefined ? { storageOptions } : { storageOptions, session }
  return { lance, session, database: await caught(() => lance.connect(uri, options)) }
}

function sessionOf({ Session }: Lance, bytes: number): LanceSession {
  const metadata = Math.floor(bytes * metadataShare)
  return new Session(BigInt(bytes - metadata), BigInt(metadata))
}

/**
 * LanceDB throws errors with nothing but a text.
 *
 * @throws LostTableError, TablesUnavailableError
 */
export async function caught<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (lost.test(message)) throw new LostTableError(message, { cause: error })
    throw new TablesUnavailableError(message, { cause: error })
  }
}

const lost = /\bnot found\b|NotFound|does not exist|No such file/i
