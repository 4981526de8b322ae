import type { Reply } from '../../http/endpoint/declare.ts'
import { beginStream } from '../../http/response/stream-response.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Result } from '../../kernel/result.ts'

export interface ListedPage {
  readonly data: readonly unknown[]
  /** `after` of the next page; null: this is the last page. */
  readonly next: string | null
}

/** Streams a list of any length: memory holds one page of it. If a later page cannot be read, the connection breaks. */
export async function streamList(
  reply: Reply,
  first: ListedPage,
  readPage: (after: string | null) => Promise<Result<ListedPage, Problem>>,
): Promise<void> {
  const stream = beginStream(reply, { 'content-type': 'application/json; charset=utf-8' })
  try {
    let page = first
    if (!(await stream.write(`{"status":"OK","data":[${elementsOf(page)}`))) return
    while (page.next !== null) {
      const following = await readPage(page.next)
      // For example, the collection was deleted meanwhile.
      if (!following.ok) return stream.breakOff()
      page = following.value
      if (page.data.length > 0 && !(await stream.write(`,${elementsOf(page)}`))) return
    }
    await stream.write(']}')
    stream.end()
  } catch (error) {
    stream.breakOff()
    throw error
  }
}

function elementsOf({ data }: ListedPage): string {
  return JSON.stringify(data).slice(1, -1)
}
