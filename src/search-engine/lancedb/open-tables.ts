import { type ConnectedLance, caught, connectLance, LostTableError, type TablePlace } from './connect-lance.ts'
import type { LanceDatabase, LanceSession, LanceTable } from './import-lancedb.ts'

interface OpenTable {
  readonly opened: Promise<LanceTable>
  /** By `read`. */
  readers: number
  isForgotten: boolean
}

/** Tables of one kind in one place: connected when they are first used, and each opened once. */
export class OpenTables {
  readonly #place: TablePlace
  readonly #kind: string
  #connected: Promise<ConnectedLance> | undefined
  readonly #tables = new Map<string, OpenTable>()
  #session: LanceSession | undefined

  /** @param kind what their names begin with; then come 32 hexadecimal digits, by which callers name them */
  constructor(place: TablePlace, kind: string) {
    this.#place = place
    this.#kind = kind
  }

  /** The name that LanceDB has. */
  nameOf(table: string): string {
    return `${this.#kind}_${table}`
  }

  connect(): Promise<ConnectedLance> {
    this.#connected ??= this.#connect()
    this.#connected.catch(() => {
      this.#connected = undefined
    })
    return this.#connected
  }

  /** The table is not closed before `work` ends, even if it is forgotten meanwhile. */
  async read<T>(table: string, work: (opened: LanceTable) => Promise<T>): Promise<T> {
    const entry = this.#entryOf(table)
    entry.readers++
    try {
      return await work(await entry.opened)
    } finally {
      entry.readers--
      closeUnread(entry)
    }
  }

  #entryOf(table: string): OpenTable {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const opened = this.connect().then(({ database }) => caught(() => database.openTable(this.nameOf(table))))
    const entry = { opened, readers: 0, isForgotten: false }
    this.#tables.set(table, entry)
    opened.catch(() => {
      if (this.#tables.get(table) === entry) this.#tables.delete(table)
    })
    return entry
  }

  /** Names of all tables there. */
  async names(): Promise<readonly string[]> {
    const { database } = await this.connect()
    const pattern = new RegExp(`^${this.#kind}_([0-9a-f]{32})$`)
    return (await allNames(database)).flatMap((name) => pattern.exec(name)?.[1] ?? [])
  }

  async drop(table: string): Promise<void> {
    this.forget(table)
    const { database } = await this.connect()
    await caught(() => database.dropTable(this.nameOf(table))).catch((error: unknown) => {
      if (!(error instanceof LostTableError)) throw error
    })
  }

  /** Those that are open. */
  opened(): readonly string[] {
    return [...this.#tables.keys()]
  }

  /** Gives back what an open table takes, as soon as no `read` of it runs. */
  forget(table: string): void {
    const entry = this.#tables.get(table)
    if (entry === undefined) return
    this.#tables.delete(table)
    entry.isForgotten = true
    closeUnread(entry)
  }

  /** Gives back what other tables take: at once, or when the reads of them end. */
  forgetOthers(used: ReadonlySet<string>): void {
    for (const table of this.opened()) if (!used.has(table)) this.forget(table)
  }

  /** Bytes of tables that LanceDB keeps in memory. 0: it has its own limit, and does not say. */
  cachedBytes(): number {
    return Number(this.#session?.sizeBytes() ?? 0)
  }

  async #connect(): Promise<ConnectedLance> {
    const connected = await connectLance(this.#place)
    this.#session = connected.session
    return connected
  }
}

function closeUnread({ opened, readers, isForgotten }: OpenTable): void {
  if (isForgotten && readers === 0) opened.then((each) => each.close()).catch(() => undefined)
}

async function allNames(database: LanceDatabase): Promise<readonly string[]> {
  const names: string[] = []
  for (;;) {
    const startAfter = names.at(-1)
    const page = await caught(() =>
      database.tableNames({ limit: 1_000, ...(startAfter !== undefined && { startAfter }) }),
    )
    names.push(...page)
    if (page.length < 1_000) return names
  }
}
