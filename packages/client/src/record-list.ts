import type { Page, PageOptions } from './record-options.ts'

/** What is asked for beside the options of the list. */
type More = Pick<PageOptions, 'limit' | 'cursor' | 'total'>

/** Records that match a query. Nothing is requested before it is asked for, and each iteration reads anew. */
export class RecordList<R> implements AsyncIterable<R> {
  readonly #page: (more: More) => Promise<Page<R>>
  readonly #options: PageOptions
  /** The number of matching records, without a maximum. */
  readonly count: () => Promise<number>

  constructor(page: (more: More) => Promise<Page<R>>, count: () => Promise<number>, options: PageOptions) {
    this.#page = page
    this.#options = options
    this.count = count
  }

  /** All records, by cursor. Nothing is counted. */
  async *[Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    for await (const { rows } of this.#pages({ total: false })) yield* rows
  }

  /** All pages, by cursor. The first one is counted, and each has its total. */
  pages(): AsyncGenerator<Page<R>, void, undefined> {
    return this.#pages({ total: this.#options.total ?? true })
  }

  async first(): Promise<R | null> {
    const { rows } = await this.#page({ limit: 1, total: false })
    return rows[0] ?? null
  }

  /** @param max records, so that no list fills the memory */
  async toArray({ max }: { readonly max: number }): Promise<R[]> {
    const found: R[] = []
    if (max < 1) return found
    for await (const { rows } of this.#pages({
      limit: Math.min(this.#options.limit ?? maxPageRows, max),
      total: false,
    })) {
      found.push(...rows.slice(0, max - found.length))
      if (found.length >= max) break
    }
    return found
  }

  async *#pages(more: More): AsyncGenerator<Page<R>, void, undefined> {
    const { cursor: start = '*', limit = maxPageRows } = this.#options
    let next: Page<R> = await this.#page({ limit, ...more, cursor: start })
    const { total, totalOver } = next
    for (;;) {
      yield next
      if (next.nextCursor === null) return
      const page = await this.#page({ limit, ...more, cursor: next.nextCursor, total: false })
      next = { ...page, total, totalOver }
    }
  }
}

const maxPageRows = 500
